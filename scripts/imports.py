"""Measures what importing packages of Python takes, each in an environment of its own, and what languages begin with.

    python scripts/imports.py measure --torch 2.13.0 -o measured.json
    python scripts/imports.py table measured.json --programs programs.jsonl -o CHECKPOINT
    python scripts/imports.py languages -o CHECKPOINT

Called again, `measure` goes on with the packages that the file lacks. Environments are made by uv, which has to be on
the PATH, but for PyTorch's. An empty program is measured beside each import. `table` makes of it what ships in a
checkpoint (`forerun.models.encoder_decoder.imports`): what each module takes beyond an empty program, and by which
factors programs that use packages took more than that tells, which are rows of `forerun data export`. `languages`
measures what next to empty programs of other languages take, and puts that there.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from forerun.errors import ForerunError
from forerun.files import write_atomically
from forerun.models.encoder_decoder import PARTS, checksums
from forerun.models.encoder_decoder.imports import Imports, kind
from forerun.prompts import parts
from forerun.tables import read_rows
from forerun.toolchains.process.languages import find, named
from forerun.toolchains.process.runner import Bounds, Spent, built

PACKAGES = {
    "numpy": "numpy numpy.random numpy.linalg numpy.fft numpy.lib.stride_tricks",
    "pandas": "pandas",
    "scipy": "scipy scipy.cluster scipy.fft scipy.integrate scipy.interpolate scipy.io scipy.linalg scipy.ndimage"
    " scipy.optimize scipy.signal scipy.sparse scipy.sparse.linalg scipy.sparse.csgraph scipy.spatial"
    " scipy.spatial.distance scipy.special scipy.stats",
    "scikit-learn": "sklearn sklearn.cluster sklearn.datasets sklearn.decomposition sklearn.ensemble"
    " sklearn.feature_extraction.text sklearn.linear_model sklearn.metrics sklearn.model_selection sklearn.neighbors"
    " sklearn.preprocessing sklearn.svm",
    "matplotlib": "matplotlib matplotlib.pyplot matplotlib.animation mpl_toolkits.mplot3d",
    "seaborn": "seaborn",
    "networkx": "networkx networkx.pagerank",
    "sympy": "sympy",
    "mpmath": "mpmath",
    "pillow": "PIL PIL.Image PIL.ImageDraw PIL.ImageFilter",
    "opencv-python-headless": "cv2",
    "scikit-image": "skimage skimage.io skimage.filters",
    "imageio": "imageio",
    "numba": "numba",
    "numexpr": "numexpr",
    "polars": "polars",
    "pyarrow": "pyarrow pyarrow.parquet",
    "h5py": "h5py",
    "xarray": "xarray",
    "dask[array,dataframe]": "dask dask.array dask.dataframe",
    "statsmodels": "statsmodels.api",
    "xgboost-cpu": "xgboost",
    "lightgbm": "lightgbm",
    "jax": "jax jax.numpy",
    "tensorflow-cpu": "tensorflow",
    "onnx": "onnx",
    "onnxruntime": "onnxruntime",
    "tokenizers": "tokenizers",
    "safetensors": "safetensors",
    "tiktoken": "tiktoken",
    "gensim": "gensim",
    "nltk": "nltk",
    "spacy": "spacy",
    "gymnasium": "gymnasium",
    "cvxpy": "cvxpy",
    "pulp": "pulp",
    "simpy": "simpy",
    "shapely": "shapely",
    "plotly": "plotly plotly.express",
    "bokeh": "bokeh",
    "requests": "requests",
    "httpx": "httpx",
    "aiohttp": "aiohttp",
    "flask": "flask",
    "django": "django",
    "fastapi": "fastapi",
    "pydantic": "pydantic",
    "sqlalchemy": "sqlalchemy",
    "boto3": "boto3",
    "redis": "redis",
    "paramiko": "paramiko",
    "cryptography": "cryptography cryptography.fernet",
    "beautifulsoup4": "bs4",
    "lxml": "lxml lxml.etree",
    "pyyaml": "yaml",
    "jinja2": "jinja2",
    "click": "click",
    "typer": "typer",
    "rich": "rich rich.console",
    "tqdm": "tqdm",
    "loguru": "loguru",
    "colorama": "colorama",
    "termcolor": "termcolor",
    "tabulate": "tabulate",
    "prettytable": "prettytable",
    "attrs": "attr attrs",
    "psutil": "psutil",
    "joblib": "joblib",
    "python-dateutil": "dateutil",
    "pytz": "pytz",
    "python-dotenv": "dotenv",
    "more-itertools": "more_itertools",
    "toolz": "toolz",
    "sortedcontainers": "sortedcontainers",
    "gmpy2": "gmpy2",
    "regex": "regex",
    "orjson": "orjson",
    "msgpack": "msgpack",
    "openpyxl": "openpyxl",
    "pytest": "pytest",
    "hypothesis": "hypothesis",
    "setuptools": "setuptools",
    "six": "six",
    "typing_extensions": "typing_extensions",
    "torch": "torch torch.nn torch.nn.functional torch.optim torch.utils.data",
    "python": "__future__ abc argparse array ast asyncio base64 bisect bz2 calendar cmath collections"
    " concurrent.futures configparser contextlib copy csv ctypes dataclasses datetime decimal difflib doctest email"
    " enum fractions functools gc getpass glob gzip hashlib heapq hmac html html.parser http.client http.server"
    " importlib inspect ipaddress itertools json locale logging lzma math multiprocessing operator pathlib"
    " pickle platform pprint queue random re sched secrets shelve shlex shutil signal socket sqlite3 ssl"
    " statistics string struct subprocess tarfile tempfile textwrap threading time timeit traceback"
    " tracemalloc types typing unicodedata unittest urllib.parse urllib.request uuid weakref xml.dom.minidom"
    " xml.etree.ElementTree xml.sax zipfile zlib zoneinfo",
}
"""What is installed, and the modules of it that programs name. Python's own need nothing."""
OLDER = {
    "numpy": ("1.24.4", "1.26.4", "2.0.2", "2.2.6"),
    "pandas": ("2.2.3",),
    "scipy": ("1.13.1",),
    "scikit-learn": ("1.5.2",),
    "matplotlib": ("3.9.4",),
    "requests": ("2.28.2",),
    "sympy": ("1.11.1",),
    "networkx": ("2.8.8",),
    "pillow": ("9.5.0",),
    "flask": ("2.2.5",),
}
"""Versions that say how far others may be off."""
BESIDE = {"scikit-learn": ("pandas",), "networkx": ("scipy",)}
"""What most who have a package have, too, and what it then imports of itself."""
FIRST = {
    "networkx.pagerank": "import networkx\nnetworkx.pagerank(networkx.path_graph(3))",
    "torch.optim": "import torch\nweights = torch.zeros(9, requires_grad=True)\nweights.sum().backward()\n"
    "torch.optim.SGD([weights], lr=0.1).step()",
}
"""What loads as much again when it is first used."""
EMPTY = {
    "c": '#include <stdio.h>\nint main(void) { printf("3\\n"); return 0; }\n',
    "c++": '#include <iostream>\n#include <vector>\nint main() { std::cout << 3 << "\\n"; return 0; }\n',
    "java": "public class Main { public static void main(String[] args) { System.out.println(3); } }\n",
    "javascript": "console.log(3);\n",
    "rust": 'fn main() { println!("3"); }\n',
    "go": 'package main\nimport "fmt"\nfunc main() { fmt.Println(3) }\n',
    "perl": 'use strict; use warnings;\nprint "3\\n";\n',
    "perl, bare": 'print "3\\n";\n',
    "ruby": "puts 3\n",
    "php": '<?php\necho "3\\n";\n',
    "lua": "print(3)\n",
}
"""Programs that do next to nothing."""
BOUNDS = Bounds(cpu_s=60.0, memory_bytes=64 << 30)
LOADED = "\nimport sys\nprint(*sorted(sys.modules))"


def main() -> int:
    """Measures what is not there yet, or makes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "table", "languages"])
    parser.add_argument("measured", nargs="?", type=Path, help="table: what `measure` wrote")
    parser.add_argument("--programs", type=Path, action="append", default=[], help="table: rows of programs")
    parser.add_argument("--faster", type=float, default=1.0, help="how many times as fast the device of the rows is")
    parser.add_argument("--package", action="append", help="only these")
    parser.add_argument("--torch", metavar="VERSION", help="PyTorch too, by pip, as it is on this machine's index")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    if options.what == "table":
        return _table(options)
    if options.what == "languages":
        return _languages(options)
    found: dict[str, dict[str, Any]] = _read(options.output) if options.output.is_file() else {}
    for package in options.package or (name for name in PACKAGES if name != "torch" or options.torch):
        for version in (options.torch if package == "torch" else "", *OLDER.get(package, ())):
            name = f"{package}=={version}".removesuffix("==")
            if name not in found:
                modules = PACKAGES[package].split()[: 1 if version and package != "torch" else None]
                found[name] = dict(_measured(name, modules, options.repeats))
                write_atomically(options.output, (json.dumps(found, indent=1) + "\n").encode())
                print(
                    name, {module: f"{each['memory'] / 1e6:.1f} MB" for module, each in found[name].items()}, flush=True
                )
    return 0


def _read(path: Path) -> dict[str, dict[str, Any]]:
    data = path.read_bytes()
    return dict(json.loads(gzip.decompress(data) if path.suffix == ".gz" else data))


def _table(options: argparse.Namespace) -> int:
    """Of the newest version of each package; what was measured with others says how far they are off."""
    read = _read(options.measured)
    newest = {
        name: each
        for package, own in read.items()
        if "==" not in package or package.startswith("torch")
        for name, each in own.items()
    }
    of = {"memory": 1.0, "traced": 1.0, "runtime": options.faster}
    start = {metric: median(each["start"][metric] for each in newest.values()) / by for metric, by in of.items()}
    needs = {name: [other for other in each["loads"] if other in newest] for name, each in newest.items()}
    costs = {
        metric: {name: round(max(each[metric] / by, 0.0), 6) for name, each in newest.items()}
        for metric, by in of.items()
    }
    made = Imports(start, costs, needs)
    errors: dict[str, dict[str, list[float]]] = {}
    for row in (row for path in options.programs for row in read_rows(path)):
        found = parts(row.prompt)
        if row.metric in of and (name := kind(found)):
            error = math.log(row.value / of[row.metric] / made.told(row.metric, found.text))
            errors.setdefault(row.metric, {}).setdefault(name, []).append(round(error, 4))
    replace(made, errors=errors).save(options.output)
    for metric, own in errors.items():
        for name, each in own.items():
            print(metric, name, len(each), *(f"{x:+.2f}" for x in np.quantile(each, (0.05, 0.25, 0.5, 0.75, 0.95))))
    checksums.record(options.output, PARTS)
    return 0


def _languages(options: argparse.Namespace) -> int:
    """What programs take that do next to nothing, of languages whose tools are here."""
    found = Imports.load(options.output)
    languages = {name: dict(of) for name, of in found.languages.items()}
    for name, text in EMPTY.items():
        try:
            with built(named(name.partition(",")[0]), text) as program:
                runs = [program.run(None, BOUNDS) for _ in range(options.repeats)]
        except ForerunError as error:
            print(f"{name}: {error}", file=sys.stderr)
            continue
        memory, runtime = median(run.memory_bytes for run in runs), median(run.cpu_s for run in runs) / options.faster
        languages[name] = {"memory": float(memory), "runtime": round(runtime, 7)}
        print(name, languages[name], flush=True)
    replace(found, languages=languages).save(options.output)
    checksums.record(options.output, PARTS)
    return 0


def _measured(package: str, modules: Sequence[str], repeats: int) -> Iterator[tuple[str, dict[str, Any]]]:
    with tempfile.TemporaryDirectory() as folder:
        if package == "python":
            os.environ.pop("FORERUN_PYTHON", None)
        elif (python := _environment(Path(folder), package)) is not None:
            os.environ["FORERUN_PYTHON"] = str(python)
        else:
            return
        find.cache_clear()
        for module in modules:
            with built(named("python"), "") as empty, built(named("python"), _first(module)) as program:
                starts, runs = list[Spent](), list[Spent]()
                for _ in range(repeats):
                    starts.append(empty.run(None, BOUNDS))
                    runs.append(program.run(None, BOUNDS))
                if any(run.error for run in runs):
                    print(f"{package}: {module}: {runs[0].error}", file=sys.stderr)
                    continue
                yield (
                    module,
                    {
                        "memory": median(run.memory_bytes for run in runs) - median(run.memory_bytes for run in starts),
                        "runtime": median(run.cpu_s for run in runs) - median(run.cpu_s for run in starts),
                        "start": {
                            "memory": median(run.memory_bytes for run in starts),
                            "runtime": median(run.cpu_s for run in starts),
                            "traced": empty.traced_bytes(None, BOUNDS) or 0,
                        },
                        "traced": (program.traced_bytes(None, BOUNDS) or 0) - (empty.traced_bytes(None, BOUNDS) or 0),
                        "loads": _loaded(module),
                    },
                )


def _environment(folder: Path, package: str) -> Path | None:
    python = folder / "env" / "bin" / "python"
    if package.startswith("torch=="):
        steps = [
            [sys.executable, "-m", "venv", str(folder / "env")],
            [str(python), "-m", "pip", "install", "-q", package],
        ]
    else:
        asked = ["uv", "pip", "install", "-q", "--compile-bytecode", "--python", str(python), package]
        asked += BESIDE.get(package, ())
        steps = [["uv", "venv", "-q", "--python", sys.executable, str(folder / "env")], asked]
    for step in steps:
        run = subprocess.run(step, capture_output=True, text=True, check=False)
        if run.returncode:
            print(f"{package}: {run.stderr.strip()[-300:]}", file=sys.stderr)
            return None
    return python


def _first(module: str) -> str:
    return FIRST.get(module, f"import {module}")


def _loaded(module: str) -> list[str]:
    """All that is there after the import, of what is asked about here."""
    asked = {name for names in PACKAGES.values() for name in names.split()}
    with built(named("python"), f"{_first(module)}{LOADED}") as program:
        program.run(None, BOUNDS)
        said = (program.folder / "out").read_text(errors="replace", encoding="utf-8")
    return sorted((asked & {*said.split()}) - {module})


if __name__ == "__main__":
    sys.exit(main())
