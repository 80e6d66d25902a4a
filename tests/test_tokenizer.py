"""Tokens: every text comes back, digits stand apart, numbers are the pieces of answers, long sources are cut."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forerun.errors import InputError
from forerun.grammars.floats import DECADES, Floats
from forerun.models.encoder_decoder.numeric import ATOMS, READ, features
from forerun.models.encoder_decoder.tokenizer import CUT, SPECIAL, Tokenizer, learn
from forerun.prompts import number, plain

CODE = ["for (int i = 0; i < 1024; i++) { sum += a[i]; }\n", "def f(x):\n    return x + 1\n"] * 20
TOKENIZER = learn(CODE, 400)
FIRST = SPECIAL + len(ATOMS)


@given(st.text())
def test_every_text_comes_back(text: str) -> None:
    assert TOKENIZER.decode(TOKENIZER.encode(plain(text)).ids) == plain(text)


def test_digits_stand_apart_and_frequent_words_are_one_token() -> None:
    ids = TOKENIZER.encode("1024").ids
    assert len(ids) == 4 and len(TOKENIZER.encode("for (int").ids) < 5
    assert all(FIRST <= i < TOKENIZER.size for i in ids)


@given(st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.floats(1e-12, 1e20)))
def test_numbers_are_one_token_where_they_are_of_a_usual_size(value: float) -> None:
    grammar = Floats(digits=2)
    ids = TOKENIZER.encode(f"loops {number(value)}\n").ids
    pieces = [ATOMS[i - SPECIAL] for i in ids if SPECIAL <= i < FIRST]
    usual = 1e-9 <= grammar.round((value,))[0] < 1e18
    assert len(pieces) == 1 if usual else pieces == grammar.write((value,))
    spelled = ["+", *pieces[0].split(":")] if usual else pieces
    assert grammar.read(spelled) == grammar.round((value,))


def test_the_features_of_numbers_are_near_for_numbers_that_are_near() -> None:
    found = dict(zip(ATOMS, features(), strict=True))

    def apart(a: str, b: str) -> float:
        return float(np.linalg.norm(found[a] - found[b]))

    assert apart("e6:12", "e6:13") < apart("e6:12", "e6:20") < apart("e6:12", "e8:20")
    assert apart("e5:99", "e6:10") < apart("e6:10", "e6:20") and apart("e3", "e4") < apart("e3", "e9")
    assert len({row.tobytes() for name, row in found.items() if name[:1] == "e"}) == len(DECADES) + len(READ)


def test_a_long_source_loses_its_middle() -> None:
    text = "".join(f"line {i}\n" for i in range(200))
    whole = TOKENIZER.encode(text)
    cut = TOKENIZER.encode(text, 100)
    assert whole.cut == 0 and len(cut.ids) == 100 and cut.cut == len(whole.ids) - 99
    place = cut.ids.index(CUT)
    assert cut.ids[:place] == whole.ids[:place] and cut.ids[place + 1 :] == whole.ids[-(99 - place) :] and place > 60
    assert TOKENIZER.encode(text, len(whole.ids)) == whole


_PARTS = st.sampled_from(["int i", " ", "\n", "\r\n", "\t", "7", "10", "٣", "'s 4", "é1", "({", "\U0001f600"])


@given(st.lists(_PARTS | st.floats(0, 1e9).map(number), max_size=40), st.integers(5, 20), st.integers(0, 60))
def test_the_ends_of_a_text_are_read_without_its_middle(words: list[str], longest: int, middle: int) -> None:
    for text in ("".join(words), "".join(words) + "x = 1;\n y " * 40 * middle + "".join(reversed(words))):
        assert TOKENIZER.ends(text, longest) == TOKENIZER.encode(text, longest).ids


def test_what_is_cut_out_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    text, read = "f(1, x)\n" * 100_000, []
    whole = TOKENIZER.encode(text, 64).ids
    monkeypatch.setattr(Tokenizer, "_text", lambda self, part, of=Tokenizer._text: read.append(part) or of(self, part))
    assert TOKENIZER.ends(text, 64) == whole and sum(map(len, read)) < len(text) / 100


def test_a_tokenizer_is_saved_whole(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path)
    loaded = Tokenizer.load(tmp_path)
    text = CODE[0] + number(12.5)
    assert loaded.size == TOKENIZER.size and loaded.encode(text) == TOKENIZER.encode(text)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InputError, match="tokenizer"):
        Tokenizer.load(tmp_path)
    with pytest.raises(InputError, match="tokenizer"):
        Tokenizer.load(tmp_path / "nowhere")
