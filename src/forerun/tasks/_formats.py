"""What functions of Python's modules for files, formats and copies give, for `forerun.tasks._walked`."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from forerun.tasks._figures import (
    ANEW,
    DIGESTS,
    WORD,
    WRITTEN_OUT,
    number,
    wide,
    worded,
)
from forerun.tasks._library import Library
from forerun.tasks._matches import LOOKED, found, least, names, repeats, wordwise
from forerun.tasks._objects import (
    MANY,
    Boxes,
    Digest,
    Layout,
    Match,
    Number,
    Passing,
    Pattern,
    Place,
    Words,
    Written,
    differing,
    placed,
)

ITEMS: Mapping[str, float] = {
    "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "l": 8, "L": 8, "q": 8, "Q": 8, "f": 4, "d": 8, "u": 4, "w": 4,
}  # fmt: skip
"""Bytes of an array's elements."""
_CONVERTED = 5.0
"""How many times as long a field takes that is tried as a number, too."""
_PACKED: Mapping[str, float] = {"zlib": 3.0, "gzip": 3.0, "bz2": 3.5, "lzma": 4.0}
"""How many times smaller texts get."""
_WORKING: Mapping[str, float] = {"zlib": 0.3e6, "gzip": 0.3e6, "bz2": 7.6e6, "lzma": 95e6}
"""Bytes that compressing works with."""


_FIRST = frozenset("match search fullmatch".split())
"""Functions that give the first one that they find."""
_SELDOM = 0.1
"""How often a text begins with a word, of which nothing is known but what one of them is that begins otherwise."""
_LETTER = re.compile(r"\[(\\.|[^\]\\])+\]|\\\w|\.")
"""A pattern of one letter."""


_DEEP_NS, _THING_NS, _ATOM_NS = 700.0, 6000.0, 170.0
"""Nanoseconds of a container that is copied with all that it holds, of a thing or a set, whose class is asked how, and
of an element: of 50,000 dictionaries with a name and 20 numbers, ten times 5,000, .28 s; they took .3."""


def _copying_ns(box: Boxes) -> float:
    """Nanoseconds to copy all of these."""
    own = _THING_NS if box.kind in ("object", "slots", "set") else _DEEP_NS
    return own * box.made + _ATOM_NS * (box.puts or 2 * len(box.fields) * box.made)


class Formats(Library):
    """Functions of modules that read and write."""

    @abstractmethod
    def over(self, value: Any) -> Any: ...

    def _lib_copy(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first = arguments[0] if arguments else None
        if name == "deepcopy":
            seen = dict[int, Boxes]()
            made = self._again(first, seen, shares=True)
            inside = sum(_copying_ns(one) for one in seen.values() if one is not made)
            self.work(self.tempo.library * inside / max(self.times, 1e-300))
            return made
        return self.listed(first, first.kind) if isinstance(first, Boxes) and first.kind in ("list", "set") else first

    def _again(self, value: Any, seen: dict[int, Boxes], each: float = 1.0, shares: bool = False) -> Any:
        """All of it once more, or all but numbers and texts, which a copy `shares`."""
        if not isinstance(value, Boxes):
            return value
        if id(value) in seen:
            return seen[id(value)]
        made = self.new(value.kind, None, id(value))
        made.made += self.times * (each - 1.0)
        share = self.times * each / max(value.made, 1e-12)
        seen[id(value)] = made
        made.puts, made.spilt, made.key, made.most = value.puts * share, value.spilt * share, value.key, value.most
        made.bound, made.each, made.of, made.makes = value.bound, value.each, value.of, value.makes
        for inner, times in value.links.values():
            if inner.kind == "atom":
                atom = inner if shares else Boxes("atom", max(min(inner.made, times) * share, 1e-12), each=inner.each)
                made.links[id(atom)] = [atom, times * share]
                continue
            again = self._again(inner, seen, min(times * share / max(self.times, 1e-300), inner.made), shares)
            made.link(again, times * share)
        made.fields = {
            name: seen.get(id(one), one) if isinstance(one, Boxes) else one for name, one in value.fields.items()
        }
        made.one = seen.get(id(value.one), value.one) if isinstance(value.one, Boxes) else value.one
        return made

    def _said(self, value: Any, deep: int = 0) -> float:
        """Characters of a value as JSON."""
        if isinstance(value, Written):
            return value.length + 4
        if not isinstance(value, Boxes) or deep > 6:
            return wide(value, "") + 2
        inner = (
            sum(len(key) + 6 + self._said(one, deep + 1) for key, one in value.fields.items())
            if value.kind != "list"
            else 0.0
        )
        many = value.apiece
        keyed = self._said(value.key) + 2 if value.key is not None else 0.0
        return 2 + inner + many * (self._said(value.one, deep + 1) + keyed)

    def _lib_json(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first, second = (*arguments, None, None)[:2]
        if name in ("dumps", "dump"):
            size = self._said(first)
            made = Written("", size, MANY, of=first)
            if name == "dump" and isinstance(second, Boxes):
                self._of_file(second, "write", [made])
                second.fields["of"] = first
                return None
            return made
        if name in ("loads", "load"):
            of = (
                first.of if isinstance(first, Written) else first.fields.get("of") if isinstance(first, Boxes) else None
            )
            if of is None and isinstance(first, Written) and first.pieces and isinstance(first.pieces[1], Written):
                of = first.pieces[1].of
            return self._again(of, {}) if of is not None else self.new("dict")
        return None

    def _lib_pickle(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        made = self._lib_json(name, arguments, options)
        return replace(made, raw=True, length=made.length * 0.7) if isinstance(made, Written) else made

    def _lib_io(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        if name in ("StringIO", "BytesIO"):
            made = self.new("file")
            made.fields["inside"] = True
            if name == "BytesIO":
                made.fields["raw"] = True
            first = arguments[0] if arguments else None
            if isinstance(first, Written):
                made.spilt += first.length * self.times * (4.0 if name == "StringIO" else 0.0)
                made.puts += (first.pieces[0] if first.pieces else first.length / 40.0) * self.times
                made.one = first.pieces[1] if first.pieces else Written("", 40.0, MANY)
                made.fields["bytes"] = first.length * self.times
            return made
        return NotImplemented

    def _lib_csv(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first = arguments[0] if arguments else None
        if name in ("writer", "DictWriter"):
            return first
        first = self.over(first) if self.layout is not None else first
        count, line = self.through(first)
        parts = max(line.sample.count(",") + 1, 1) if isinstance(line, Written) else 4
        long = line.length / parts if isinstance(line, Written) else WORD
        field = Written("x" * int(min(long, 20)), long, max((count or 0.0) ** 0.5, 2.0))
        converted = _CONVERTED if "converted" in options else 1.0
        self.work(self.tempo.field * parts * (count or 0.0) * converted)
        times, self.times = self.times, self.times * (count or 0.0)
        row = self.new("list" if name == "reader" else "dict")
        times, self.times = self.times, times
        if name == "reader":
            row.put(field, parts * times)
        else:
            for place, (key, each) in enumerate(self._headed(first, field, parts, options)):
                row.fields[key or f"{place}"] = row.hold(replace(each, atom=None), times)
        return Passing(count, row)

    def _headed(self, lines: Any, field: Written, parts: int, options: dict[str, Any]) -> list[tuple[str, Written]]:
        """Fields of a table by their names, where these are known, and what is in them."""
        plain = [("", field)] * min(parts, 50)
        one, start = (lines.one, lines.first[0]) if isinstance(lines, Passing) and lines.first else (None, None)
        if self.layout is None or not (isinstance(start, Written) and start.known and isinstance(one, Written)):
            return plain
        said = start.known.strip().lower() if "dialect" in options else start.known.strip()
        names, words = said.split(","), one.words.first if one.words else ()
        if len(words) < len(names):
            return plain
        return [(key, each if isinstance(each, Written) else field) for key, each in zip(names, words, strict=False)]

    def _lib_array(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first, second = (*arguments, None, None)[:2]
        made = self.new("array")
        made.each = ITEMS.get(first.known or "d", 8.0) if isinstance(first, Written) else 8.0
        if second is not None:
            count, one = self.through(second)
            if isinstance(second, Written):
                count = second.length / made.each
            made.puts += (count or 0.0) * self.times
            made.one = one
        made.one = made.one or Number(0.5, whole=isinstance(first, Written) and first.known not in ("d", "f"))
        return made

    def _lib_zlib(self, name: str, arguments: list[Any], options: dict[str, Any], by: str = "zlib") -> Any:
        first = arguments[0] if arguments else None
        if name in ("compress", "decompress") and isinstance(first, Written):
            if name == "decompress":
                return first.of if isinstance(first.of, Written) else replace(first, length=first.length * _PACKED[by])
            self._passing(min(_WORKING[by], 2e6 + 11.5 * first.length))
            return Written("", first.length / _PACKED[by], first.distinct, True, of=first)
        if name in ("crc32", "adler32"):
            return number(0.0, 2.0**32, 2.0**32)
        return NotImplemented

    def _passing(self, size: float) -> None:
        box = self.new("list", None, "work")
        box.spilt += size * self.times
        self.flight.append(box)

    def _lib_gzip(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return self._lib_zlib(name, arguments, options, "gzip")

    def _lib_bz2(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return self._lib_zlib(name, arguments, options, "bz2")

    def _lib_lzma(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return self._lib_zlib(name, arguments, options, "lzma")

    def _lib_sqlite3(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        if name == "connect":
            made = self.new("tree")
            first = arguments[0] if arguments else None
            if isinstance(first, Written) and first.known == ":memory:":
                made.fields["memory"] = True
            return made
        return None

    def _lib_xml(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        """Trees of elements."""
        first = arguments[0] if arguments else None
        if name in ("Element", "SubElement"):
            made = self.new("element")
            for each in arguments[1:]:
                made.link(each, self.times)
            made.spilt += self.times * sum(
                64.0 + (one.bytes if isinstance(one, (Number, Written)) else 0.0) for one in options.values()
            )
            if name == "SubElement" and isinstance(first, Boxes):
                self.add(first, made)
                first.spilt += 16.0 * self.times
            made.fields.setdefault("text", None)
            return made
        if name in ("tostring", "tostringlist"):
            return Written("", self._tags(first), MANY, "encoding" not in options, of=first)
        if name in ("fromstring", "XML", "parse") and isinstance(first, Written):
            return self._again(first.of, {}) if isinstance(first.of, Boxes) else self._elements(first)
        if name == "ElementTree":
            return first
        return NotImplemented

    def _tags(self, box: Any, deep: int = 0) -> float:
        """Characters of a tree as XML."""
        if not isinstance(box, Boxes) or deep > 5:
            return 20.0
        inner: float = sum(
            each * self._tags(one, deep + 1)
            for one, each in ((b, n / max(box.made, 1e-12)) for b, n in box.links.values())
            if one.kind == "element" and one is not box
        )
        text = box.fields.get("text")
        return 25.0 + (text.length if isinstance(text, Written) else 0.0) + inner + (30.0 if box.links else 0.0)

    def _elements(self, text: Written) -> Boxes:
        made = self.new("element")
        count = (text.pieces[0] if text.pieces else text.length / 40.0) * self.times
        inner = Boxes("element", count, spilt=60.0 * count)
        made.put(inner, count)
        return made

    def _lib_argparse(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return self.new("tree") if name == "ArgumentParser" else None

    def _lib_configparser(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return self.new("config")

    def _lib_secrets(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first = arguments[0] if arguments else None
        size = first.value if isinstance(first, Number) and first.value is not None else 32.0
        if name in ("token_hex", "token_urlsafe", "token_bytes"):
            return Written(
                "", size * {"token_hex": 2.0, "token_urlsafe": 1.3}.get(name, 1.0), MANY, name == "token_bytes"
            )
        return self._lib_random({"randbelow": "randrange"}.get(name, name), arguments, options)

    def _lib_string(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        letters = {"ascii_lowercase": 26, "ascii_uppercase": 26, "ascii_letters": 52, "digits": 10, "hexdigits": 22}
        if name in letters:
            return Written.like("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[: letters[name]])
        return arguments[0] if name == "Template" and arguments else None

    def _lib_asyncio(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        if name in ("Queue", "PriorityQueue", "LifoQueue"):
            return self.new("deque")
        if name == "gather":
            count, one = self.spread if self.spread[0] else (float(len(arguments)), arguments[0] if arguments else None)
            return self.listed(Passing(count, one))
        return arguments[0] if arguments else None

    def _lib_contextlib(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return arguments[0] if arguments else None

    def _lib_base64(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first = arguments[0] if arguments else None
        if not isinstance(first, Written):
            return None
        times = {"b64encode": 4 / 3, "b64decode": 3 / 4, "b32encode": 1.6, "hexlify": 2.0, "b16encode": 2.0}
        by = next((by for word, by in times.items() if word in name), 3 / 4 if "decode" in name else 4 / 3)
        return replace(
            first, length=first.length * by, sample="", atom=None, raw=True, distinct=max(first.distinct, 2.0)
        )

    _lib_binascii = _lib_base64

    def _lib_queue(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return self.new("deque")

    def _lib_uuid(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return Number(None, distinct=MANY, whole=False, usual="Decimal")

    def _lib_hashlib(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return Digest(name, DIGESTS.get(name, 64.0), differing(arguments[0]) if arguments else MANY)

    def _lib_re(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        text = arguments[-1] if arguments else None
        if name == "compile":
            return Pattern(text)
        pattern = arguments[0] if len(arguments) > 1 else None
        shown = found(pattern, self._as_written(text) if name in _FIRST else text, name)
        plain = shown and len(shown[0]) == 1 and isinstance(text, Written) and text.words and text.known is None
        many = max(text.length / max(min(len(text.sample), LOOKED), 1), 1.0) if isinstance(text, Written) else 1.0
        of_pieces = self.layout is not None and name in ("findall", "finditer") and not shown
        if of_pieces and isinstance(text, Written) and text.pieces:
            shown, many = found(pattern, self._as_written(text.pieces[1]), name), text.pieces[0]  # of each piece
        if name in ("findall", "finditer") and shown and isinstance(text, Written) and not plain:
            count = len(shown) * many
            parts = self._groups(shown, text)
            if name == "finditer":
                return Passing(count, Match(parts[0].length, None, parts, names(pattern)))
            times, self.times = self.times, self.times * count
            one: Any = parts[0] if len(parts) == 1 else parts[1] if len(parts) == 2 else self.tupled(parts[1:])
            self.times = times
            return self.listed(Passing(count, one))
        if name == "findall" and not shown and (letters := self._single(pattern, text)) is not None:
            return self.listed(letters)
        if name in ("findall", "finditer", "split") and isinstance(text, Written):
            count, each = text.pieces or (max(text.length / (WORD + 1), 1.0), None)
            if text.pieces and name != "split" and wordwise(pattern):
                count, each = worded(text)
            single = text.pieces and isinstance(each, Written) and each.length <= 1
            if single and isinstance(each, Written) and name == "findall" and repeats(pattern):
                count *= (1 - 1 / max(each.distinct, 2.0)) / max(each.distinct, 2.0)  # letters of one kind
            if text.words is not None:
                count, each = text.words.count, text.words.one
            if name != "split" and (long := least(pattern)) > WORD and text.length / long < count:
                count, each = text.length / long, Written("x" * int(long), long, max(self.times, 2.0) ** 0.5)
            known = each if isinstance(each, Written) else Written("xxxxx", WORD, max(self.times * count, 1.0) ** 0.5)
            if name == "finditer":
                return Passing(count, Match(known.length * 3, known))
            return self.listed(Passing(count, replace(known, atom=None, distinct=max(known.distinct, ANEW))))
        if name == "sub":
            return self._rewritten(pattern, *arguments[1:3]) if len(arguments) > 2 else None
        length = text.length if isinstance(text, Written) else 40.0
        often = self._anchored(pattern, text, bool(shown)) if self.layout is not None else None
        return Match(length, None, self._groups(shown, text) if shown else (), names(pattern), often)

    def _as_written(self, text: Any) -> Any:
        """Of a text that the program itself writes, all of which is known but its numbers, that it says so."""
        told = (
            isinstance(text, Written)
            and text.words is None
            and len(text.sample) + 1 > min(text.length, WRITTEN_OUT) > 1
        )
        return replace(text, words=Words(1.0, text)) if self.layout is not None and told else text

    def _single(self, pattern: Any, text: Any) -> Passing | None:
        """Letters of one kind, of a text whose beginning is known; None of others."""
        known = pattern.known if isinstance(pattern, Written) else None
        if self.layout is None or not _LETTER.fullmatch(known or "") or not isinstance(text, Written):
            return None
        if text.distinct > ANEW or not text.sample:
            return None
        with suppress(re.error):
            letters = re.findall(known or "", text.sample)
            one = Written("x", 1.0, max(float(len({*letters})), ANEW))
            return Passing(text.length * len(letters) / len(text.sample), one)
        return None

    def _rewritten(self, pattern: Any, by: Any, text: Any) -> Any:
        """A text with what a mapping has in the place of what a pattern finds, by how its beginning becomes longer."""
        known = pattern.known if isinstance(pattern, Written) else None
        rules = by.fields if isinstance(by, Boxes) and by.kind == "dict" else {}
        texts = {key: one.known for key, one in rules.items() if isinstance(one, Written) and one.known is not None}
        if known is None or not texts or len(texts) < len(rules) or not (isinstance(text, Written) and text.sample):
            return text
        with suppress(re.error):
            sample = text.sample[:WRITTEN_OUT]
            made = re.sub(known, lambda found: texts.get(found[0], found[0]), sample)
            longer = text.length * len(made) / len(sample)
            return replace(text, sample=made[:WRITTEN_OUT], length=longer, pieces=None, words=None, atom=None)
        return text

    def _anchored(self, pattern: Any, text: Any, shown: bool) -> float | None:
        """How often a text begins with a word that is written out, `^From `; None where nobody knows."""
        known = pattern.known if isinstance(pattern, Written) else None
        word = re.match(r"\^([A-Za-z]{2,})", known or "")
        if word is None or not isinstance(text, Written) or text.known is not None:
            return None
        if text.begins is not None:
            return text.begins.get(word[1][0], 0.0)
        return None if shown else _SELDOM

    def _groups(self, shown: Sequence[tuple[str, ...]], text: Any) -> list[Written]:
        """The parts of matches: the very ones where the text is always the same, else of so many about as many
        different ones as their root."""
        if isinstance(text, Written) and text.known is not None and len(shown) == 1:
            return [Written.like(part) for part in shown[0]]
        few = max(self.times * len(shown), 4.0) ** 0.5
        long = [sum(map(len, part)) / len(shown) for part in zip(*shown, strict=True)]
        known = dict[str, Written]()
        if self.layout is not None and isinstance(text, Written) and text.words:
            shapes = zip(text.sample.split(text.words.mark.strip() or None), text.words.first, strict=False)
            for sample, one in shapes:
                known.setdefault(sample.strip("\"'[](),:;"), replace(one, sample=sample))
            known.pop("", None)
        return [
            known.get(part)  # one of a line's words
            or Written(part, size, few, words=Words(float(len(part.split())), Written("x" * 6, WORD, few)))
            for part, size in zip(shown[0], long, strict=True)
        ]

    def _lib_functools(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return arguments[0] if name in ("partial", "wraps", "cmp_to_key") and arguments else None

    def _lib_threading(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        if name in ("Thread", "Timer", "Process") and (target := options.get("target")) is not None:
            given = options.get("args")
            return self.call(target, list(given.fields.values()) if isinstance(given, Boxes) else [], {})
        return None

    _lib_multiprocessing = _lib_threading

    def _lib_tempfile(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        if name in ("TemporaryFile", "NamedTemporaryFile", "SpooledTemporaryFile"):
            return self.new("file")
        return Place(f"tmp{id(self.at)}")

    def _lib_pathlib(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return Place("/".join(map(placed, arguments)))

    def _lib_os(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return Place("/".join(map(placed, arguments))) if name == "join" else None

    def of_place(self, own: Place, name: str, arguments: list[Any]) -> Any:
        """A file or a folder by its name."""
        first = arguments[0] if arguments else None
        if name in ("open", "read_text", "read_bytes", "write_text", "write_bytes"):
            file = self._opened(self.new("file", self.at, name), own)
            if name.startswith("write"):
                return self._of_file(file, "write", arguments)
            return file if name == "open" else self._of_file(file, "read", [])
        return Place(f"{own.key}/{placed(first)}") if name in ("joinpath", "with_suffix", "with_name") else own

    def _lib_struct(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first = arguments[0] if arguments else None
        text = first.known if isinstance(first, Written) and first.known else ""
        if name == "Struct":
            return Layout(text)
        size = sum(ITEMS.get(mark, 1.0) * int(count or 1) for count, mark in re.findall(r"(\d*)([a-zA-Z?])", text))
        if name == "pack":
            return Written("", size or 8.0, MANY, raw=True)
        if name in ("unpack", "unpack_from", "iter_unpack"):
            marks = [
                mark
                for count, mark in re.findall(r"(\d*)([a-zA-Z])", text)
                for _ in range(min(int(count or 1), 20) if mark not in "sp" else 1)
            ]
            values = [
                Number(0.5, whole=False)
                if mark in "fd"
                else Written("", 8.0, MANY, raw=True)
                if mark in "sp"
                else Number(1e6, -MANY, MANY)
                for mark in marks
            ]
            row = self.tupled(values)
            data = arguments[1] if len(arguments) > 1 else None
            many = (self.length(data) or 0.0) / (size or 8.0)
            return Passing(many, row) if name == "iter_unpack" else row
        return Number(size, size, size, 1.0)

    def _lib_concurrent(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return (
            self.new("tree")
            if name.endswith("Executor")
            else Passing(*self.through(arguments[0]))
            if arguments
            else None
        )
