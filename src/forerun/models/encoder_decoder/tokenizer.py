"""From prompts to tokens: byte-level pieces learned on code, digits apart, and numbers as the pieces of answers.

Ids in order: the special tokens, the atoms (pieces of grammars that are one token each, numbers above all), then the
byte-level alphabet and its merges (Sennrich et al. 2016). A number that a prompt marks (`forerun.prompts.number`) is
one token where it is of a usual size (`numeric`), and else read in the very tokens that the decoder writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from forerun.errors import InputError, reason
from forerun.files import write_atomically
from forerun.models._decode import Vocabulary
from forerun.models.encoder_decoder import numeric
from forerun.models.encoder_decoder.checksums import again
from forerun.plain import read
from forerun.prompts import COUNTER, NUMBER, readable

TOKENIZER, PIECES = "tokenizer.json", "pieces.json"

PAD, BEGIN, END, CLOSE, CUT = range(5)
MASKS = range(5, 37)
"""Stand for what is left out of a text in pre-training: the first gap, the second, …"""
SPECIAL = 37

_HEAD = 0.75
"""Share of the kept tokens that comes from the beginning of a source that is too long."""
_READ = 4
"""Characters of each end that are read first, for each token of what is kept."""
_DIGIT, _PARTS = re.compile("[0-9]"), re.compile("[0-9]|[^0-9]+")
_LONG = 1 << 14
"""Characters from which on a text is read in parts."""
_MARKED = 64
"""Characters that a marked number is shorter than."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """The tokens of a prompt, and how many were cut from its middle."""

    ids: list[int]
    cut: int = 0

    @property
    def tokens(self) -> int:
        """Those of the whole prompt: a token in the middle stands for all that were cut."""
        return len(self.ids) + self.cut - (self.cut > 0)


@dataclass(frozen=True)
class Tokenizer:
    """`atoms` in order, and the learned byte-level encoding."""

    atoms: tuple[str, ...]
    bytes: tokenizers.Tokenizer

    @property
    def size(self) -> int:
        """Tokens in all."""
        return SPECIAL + len(self.atoms) + int(self.bytes.get_vocab_size())

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """How answers are spelled."""
        return Vocabulary(self._atoms, BEGIN, END, CLOSE, self._text)

    @cached_property
    def _atoms(self) -> dict[str, int]:
        return {piece: SPECIAL + i for i, piece in enumerate(self.atoms)}

    def encode(self, prompt: str, longest: int | None = None) -> Encoded:
        """The tokens of a prompt; of one that is longer than `longest`, the middle is cut out and marked."""
        ids = self._ids(prompt)
        if longest is None or len(ids) <= longest:
            return Encoded(ids)
        head, tail = _kept(longest)
        return Encoded([*ids[:head], CUT, *ids[len(ids) - tail :]], len(ids) - longest + 1)

    def ends(self, prompt: str, longest: int) -> list[int]:
        """The tokens of `encode`, without reading what it cuts out: trainings do not ask how much that was.

        Digits are tokens of their own, so that a text falls apart beside any of them.
        """
        (head, tail), size = _kept(longest), _READ * longest
        while 2 * size < len(prompt):
            first, last = _DIGIT.search(prompt, size), _DIGIT.search(prompt, len(prompt) - size)
            if first and last and first.end() <= last.start() and not NUMBER.search(prompt, first.start() - _MARKED):
                front, back = self._ids(prompt[: first.end()]), self._ids(prompt[last.start() :])
                if len(front) >= head and len(back) >= tail and len(front) + len(back) > longest:
                    return [*front[:head], CUT, *back[len(back) - tail :]]
            size *= 2
        return self.encode(prompt, longest).ids

    def _ids(self, prompt: str) -> list[int]:
        parts = enumerate(NUMBER.split(prompt))
        return [token for i, part in parts for token in (self._number(part) if i % 2 else self._text(part))]

    def _number(self, text: str) -> list[int]:
        pieces = COUNTER.write(COUNTER.parse(text))
        whole = self._atoms.get(numeric.token(pieces))
        return [self._atoms[piece] for piece in pieces] if whole is None else [whole]

    def _text(self, text: str) -> list[int]:
        """Tokens of a text; those of the latest long one are kept, as one is asked about for several metrics."""
        if len(text) <= _LONG:
            first = SPECIAL + len(self.atoms)
            return [first + i for i in self.bytes.encode(readable(text), add_special_tokens=False).ids]
        if text not in self._latest:
            self._latest.clear()
            self._latest[text] = self._long(readable(text))
        return self._latest[text]

    @cached_property
    def _latest(self) -> dict[str, list[int]]:
        return {}

    def _long(self, text: str) -> list[int]:
        """The same of what falls apart beside digits, each part once: 5 MB of LLVM IR take .24 s so, 2.6 at once."""
        parts, first = _PARTS.findall(text), SPECIAL + len(self.atoms)
        known = [*dict.fromkeys(parts)]
        read = self.bytes.encode_batch_fast(known, add_special_tokens=False)
        ids = {part: [first + i for i in one.ids] for part, one in zip(known, read, strict=True)}
        return [token for part in parts for token in ids[part]]

    def of(self, other: Tokenizer) -> list[list[int]]:
        """For each byte-level token of another one the tokens that this one reads in it."""
        first, model = SPECIAL + len(self.atoms), self.bytes.model
        names = (other.bytes.id_to_token(i) for i in range(other.bytes.get_vocab_size()))
        return [[first + token.id for token in model.tokenize(name)] for name in names]

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens, with names for those that have none."""
        first = SPECIAL + len(self.atoms)
        parts = []
        for of_text, run in groupby(ids, key=lambda i: i >= first):
            if of_text:  # together: a character may be several tokens
                parts.append(str(self.bytes.decode([i - first for i in run])))
            else:
                parts += [f"⟨{self.atoms[i - SPECIAL] if i >= SPECIAL else i}⟩" for i in run]
        return "".join(parts)

    def save(self, folder: Path) -> None:
        """Writes `tokenizer.json` and `pieces.json`."""
        write_atomically(folder / TOKENIZER, self.bytes.to_str().encode())
        write_atomically(folder / PIECES, (json.dumps(self.atoms, indent=0) + "\n").encode())

    @classmethod
    def load(cls, folder: Path) -> Tokenizer:
        """Reads what `save` wrote. Raises InputError."""
        try:
            atoms = read((folder / PIECES).read_text(encoding="utf-8"), tuple[str, ...])
            return cls(atoms, tokenizers.Tokenizer.from_str((folder / TOKENIZER).read_text(encoding="utf-8")))
        except Exception as error:  # the library raises bare Exceptions
            todo = again(folder, TOKENIZER)
            raise InputError(f"{folder} has no tokenizer that can be read", reason(error), todo) from error


def learn(texts: Iterable[str], size: int, atoms: Sequence[str] = ()) -> Tokenizer:
    """Byte-level byte-pair encoding with `size` tokens of its own, learned on texts; each digit is a token.

    `atoms` are those of other grammars: they come behind the numeric ones.
    """
    model = tokenizers.Tokenizer(models.BPE())
    model.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    model.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    model.train_from_iterator(_without_numbers(texts), trainer)
    assert not {*numeric.ATOMS} & {*atoms}, "an atom has one token: another one would never be read"
    return Tokenizer((*numeric.ATOMS, *atoms), model)


def _kept(longest: int) -> tuple[int, int]:
    """Of the beginning and of the end, beside the token that stands for the rest."""
    head = int(_HEAD * (longest - 1))
    return head, longest - 1 - head


def _without_numbers(texts: Iterable[str]) -> Iterator[str]:
    return (readable(part) for text in texts for part in NUMBER.split(text)[::2])
