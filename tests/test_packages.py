"""Packages that a language does not bring along."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from forerun.corpora.generated import numbered
from forerun.tasks._packages import foreign
from forerun.toolchains.process.languages import of_file

WRITTEN = Path(__file__).parents[1] / "benchmarks" / "measured" / "written.jsonl.gz"


@pytest.mark.parametrize(
    "language, text, names",
    [
        ("python", "import os.path, numpy as np\nfrom torch.nn import functional\nif 1:\n    import numpy.linalg", 2),
        ("python", "from . import near\nfrom .far import x\nfrom __future__ import annotations", ".near .far"),
        ("python", "import numpy as np\nprint(", ""),
        ("python", '"""\nimport numpy\n"""\nimport sys', ""),
        ("javascript", "const a = require('lodash');\nimport fs from \"node:fs\";\nimport './b.js'", "lodash ./b.js"),
        ("javascript", "// needs require('left-pad')\nconst p = require('fs/promises'), q = require(\"path\");", ""),
        ("go", 'import (\n\t"fmt"\n\tg "github.com/a/b"\n)\nconst at = "x.org/y"\n', "github.com/a/b"),
        ("rust", "use std::io;\nuse rayon::prelude::*;\nmod near;\nuse near::x;\nuse crate::y;", "rayon"),
        (
            "java",
            "import java.util.*;\nimport static org.junit.Assert.*;\nimport javax.swing.JFrame;",
            "org.junit.Assert",
        ),
        ("lua", 'local s = require "socket"\n-- require "lpeg"\nlocal t = require("string")', "socket"),
        ("c", "#include <gmp.h>", ""),
    ],
)
def test_packages_are_named(language: str, text: str, names: str | int) -> None:
    found = foreign(language, text)
    assert found == (["numpy", "torch"] if names == 2 else str(names).split())


def test_programs_that_were_learned_from_use_none() -> None:
    with gzip.open(WRITTEN, "rt", encoding="utf-8") as file:
        own = [(of_file(Path(row["name"])), row["text"]) for row in map(json.loads, file)]
    drawn = [numbered(1, number) for number in range(60)]
    for language, text in [*((language.name, text) for language, text in own if language), *(one[1:] for one in drawn)]:
        assert not foreign(language, text)
