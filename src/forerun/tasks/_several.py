"""Programs of several files: which lie beside one and are named there, and how all of them are read as one text.

The first file stands there as it is, so that its lines are those of the whole; behind it the others, those that know
of none first, each below a comment that has its name.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from forerun.tasks._loaded import Loaded, loaded
from forerun.tasks._opened import read_plainly
from forerun.tasks._python import tree

_MOST, _TEXT, _NEAR = 32, 1 << 18, 200
"""Files that are read along, characters of all of them, and files of a folder that are looked at."""
_SIGN = "\ufdd0"
"""No character, so that nobody has written it: in front of the name of a file."""
_MARK = re.compile(rf"^(?:\#|//|--) {_SIGN}(.+)$", re.MULTILINE)
_COMMENT: Mapping[str, str] = {"python": "#", "ruby": "#", "perl": "#", "lua": "--"}
_LOCAL: Mapping[str, str] = {
    "python": r"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+([\w, \t]+|\(|\*)|import[ \t]+([\w., \t]+))",
    "c": r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"',
    "c++": r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"',
    "ruby": r"""^[ \t]*(?:require_relative[ \t(]+|require[ \t(]+(?=["']\./))["']([^"'\n]+)["']""",
    "rust": r"""^[ \t]*(?:\#\[path[ \t]*=[ \t]*"([^"\n]+)"\]\s*)?(?:pub(?:\([^)]*\))?[ \t]+)?mod[ \t]+(\w+)[ \t]*;""",
    "php": r"""\b(?:require|include)(?:_once)?\b[^;\n'"]{0,200}["']([^"'\n]+\.(?:php|inc))["']""",
    "perl": r"""(?:^|(?<=;))[ \t]*(?:use|require)[ \t]+(?:["']([\w./]+)["']|([A-Z]\w*(?:::\w+)*))""",
    "lua": r"""\b(?:require|dofile)[ \t]*\(?[ \t]*["']([\w./]+)["']""",
    "javascript": r"""(?:\brequire[ \t]*\([ \t]*|\bfrom[ \t]*|^[ \t]*import[ \t]*|\bimport\([ \t]*)"""
    r"""["'](\.{1,2}/[^"'\n]+)["'](?![ \t]*\+)""",
}
"""How a text names files that it is made of."""
_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "python": (".py", "/__init__.py"),
    "c": ("",),
    "c++": ("",),
    "ruby": ("", ".rb"),
    "rust": (".rs", "/mod.rs"),
    "php": ("",),
    "perl": ("", ".pm"),
    "lua": ("", ".lua", "/init.lua"),
    "javascript": ("", ".js", ".mjs", ".cjs", "/index.js"),
}
_RUN = re.compile(r"^if __name__ *== *['\"]__main__['\"] *:(?:[^\n]*(?:\n(?:[ \t][^\n]*)?)*)", re.MULTILINE)
"""What a file of Python does where it is the first one."""
_BODIES = (".c", ".cc", ".cpp", ".cxx")
"""What has the functions that a header names."""
_NAMED = re.compile(
    r"^(?!return|else|goto|case|typedef)[A-Za-z_][\w \t*:<>,&]*[ \t*&](\w+)[ \t]*\([^;{}()]*\)[ \t]*;", re.MULTILINE
)
"""Functions of C that stand somewhere else."""
_DEFINED, _CALLED = (
    re.compile(r"\b(\w+)\s*\([^;{}()]*(?:\([^;{}()]*\)[^;{}()]*)*\)\s*(?:const\s*)?\{"),
    re.compile(r"\b(\w+)\s*\("),
)
"""Functions that stand there, and what is called."""
_IMPORTED, _TOP, _UP = (
    re.compile(r'(?:\b([\w.]+)[ \t]+)?"([^"\n]+)"'),
    re.compile(r"^(?:func|type|var|const)[ \t]+(\w+)", re.MULTILINE),
    6,
)
"""What Go imports, by which name, what stands in a file of it, and folders above one where its module may be named."""
_ROOTED = frozenset(("python", "lua", "perl", "php"))
"""Languages that look for files where the first one lies, too."""
_TELLING = frozenset(("c", "c++", "ruby", "rust", "php", "javascript"))
"""Languages whose texts tell files of their own from libraries."""
_STANDARD = frozenset(
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic"
    " stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype unistd"
    " pthread".split()
)


@dataclass(frozen=True, slots=True)
class Several:
    """All that a program is made of: the text, the files that were read along, and what was not found."""

    text: str = ""
    along: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    """What is there, or may be, and was not read, and why, where that is to be said."""

    @property
    def names(self) -> frozenset[str]:
        """How files are called of which it was said that they are not counted."""
        return frozenset(Path(one).stem for one in (*self.lost, *(name for name, _ in self.unread)))


@dataclass(slots=True)
class _Reader:
    """Of a program that is read, with what was found so far."""

    language: str
    first: Path
    found: dict[Path, str] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)
    folders: dict[Path, None] = field(default_factory=dict)
    """Those that are searched, too."""
    seen: set[Path] = field(default_factory=set)
    left: int = _TEXT
    texts: dict[Path, str | None] = field(default_factory=dict)

    def follow(self, path: Path, text: str) -> None:
        """Reads what this text names, and then what that does; the deepest stands first."""
        said = loaded(self.language, text, path.name)
        near = (path.parent, self.first.parent) if self.language in _ROOTED else (path.parent,)
        self.folders |= dict.fromkeys(folder / one for folder in near for one in said.folders)
        read = set[str]()
        if said.data:
            left = loaded(self.language, read_plainly(self.language, text), path.name).data
            read = {one for one in said.data if one not in left and _is_file(self.first.parent / one)}
        self._load(said, near, read)
        folders = dict.fromkeys((*near, *self.folders))
        for folder in self._packages(path, text) if self.language == "go" else ():
            for one in _near(folder, (".go",)):
                if not one.name.endswith("_test.go"):
                    self.read(one)
        for names in self._named(path, text):
            there = [one for folder in folders for name in names if _is_file(one := folder / name)][:1]
            bodies = [one for one in self._bodies(there) if _is_file(one)]
            if not there and self.language in _TELLING:
                self.lost.append(names[0])
            for one in (*there, *bodies):
                self.read(one)

    def read(self, path: Path) -> None:
        """One file, and what it names."""
        place = path.resolve()
        if place in self.seen:
            return
        self.seen.add(place)
        text = self.text(path)
        if why := _unreadable(path) if text is None else self._beyond(text):
            self.unread.append((path.name, why))
        if text is None or why:
            return
        text = _RUN.sub(_lines_of, text) if self.language == "python" else text
        self.left -= len(text)
        self.follow(path, text)
        self.found[path] = text

    def _beyond(self, text: str) -> str:
        """Why a text is not read along; nothing where it is."""
        if len(self.found) >= _MOST:
            return f"{_MOST} files are read"
        if len(text) > self.left:
            return f"{_TEXT >> 10} KiB are read of all files"
        return "it does not parse" if _broken(self.language, text) else ""

    def _load(self, said: Loaded, near: Sequence[Path], read: Collection[str]) -> None:
        """Reads what a text loads otherwise, and says what is not read of that, but for data that is `read` as files
        are that a program opens."""
        endings = dict.fromkeys(("", *_ENDINGS.get(self.language, ()), *[".php"] * (self.language == "php")))
        folders = dict.fromkeys((*near, *self.folders))
        for name in (*said.files, *said.modules):
            there = [one for folder in folders for end in endings if _is_file(one := folder / f"{name}{end}")][:1]
            for one in there:
                self.read(one)
            if not there and name.endswith(".pm"):  # a library
                continue
            if not there and name in said.files:
                self.lost.append(name)
            elif not there and not (self.language == "python" and name.partition("/")[0] in sys.stdlib_module_names):
                self.unread.append((name, ""))
        for name in (one for one in said.data if one not in read):
            if re.search(r"[*?\[ ]", name) or any(_is_file(folder / name) for folder in near):
                self.unread.append((name, ""))
            else:
                self.lost.append(name)
        self.lost += [one for one in said.folders if not any(_is_folder(folder / one) for folder in near)]
        self.unread += [(one, "") for one in said.unknown]

    def text(self, path: Path) -> str | None:
        """What stands in a file; kept, as more than one may ask."""
        if path not in self.texts:
            self.texts[path] = _text(path)
        return self.texts[path]

    def _named(self, path: Path, text: str) -> Iterator[list[str]]:
        """Files that may be meant, by each name in a text."""
        if self.language in ("go", "java"):
            yield from ([one] for one in self._of_folder(path, text))
            yield from ([one] for one in self._of_java(text) if self.language == "java")
            return
        if self.language == "ruby" and self.folders:  # others are libraries
            names = re.findall(r"""^[ \t]*require[ \t(]+["']([\w/-]+)["']""", text, re.MULTILINE)
            places = [folder / f"{name}.rb" for name in names for folder in self.folders]
            yield from ([os.path.relpath(one, path.parent)] for one in places if _is_file(one))
        pattern, endings = _LOCAL.get(self.language), _ENDINGS.get(self.language, ())
        for found in re.finditer(pattern, text, re.MULTILINE) if pattern else ():
            for name in self._spelt(path, found):
                yield [name] if name.endswith(".rs") else [f"{name}{ending}" for ending in endings]

    def _spelt(self, path: Path, found: re.Match[str]) -> Iterator[str]:
        name = next(filter(None, found.groups()), "")
        if self.language == "python":
            yield from _modules(found)
        elif self.language in ("c", "c++"):
            if name.removesuffix(".h") not in _STANDARD:
                yield name
        elif self.language == "rust":
            yield (
                name if found[1] or path.stem in ("main", "lib", "mod") or path == self.first else f"{path.stem}/{name}"
            )
        elif self.language == "perl":
            plain = name.replace("::", "/")
            yield from (plain, f"lib/{plain}", f"../lib/{plain}") if found[2] else (name,)
        elif self.language == "lua":
            yield name if name.endswith(".lua") else name.replace(".", "/")
        elif not name.endswith(".json") and "$" not in name:  # no program, and no name
            yield name.lstrip("/")

    def _bodies(self, headers: Sequence[Path]) -> Iterator[Path]:
        """What has the functions that a header names."""
        for header in headers if self.language in ("c", "c++") else ():
            if header.suffix in (".h", ".hh", ".hpp", ".hxx"):
                yield from (header.with_suffix(one) for one in _BODIES)
                yield from (header.parent.parent / "src" / f"{header.stem}{one}" for one in _BODIES)

    def _of_folder(self, path: Path, text: str) -> Iterator[str]:
        """Files of one package: of Go all, of Java those whose classes are named."""
        suffix = ".go" if self.language == "go" else ".java"
        package = re.search(r"^package\s+(\w+)", text, re.MULTILINE) if self.language == "go" else None
        for one in _near(path.parent, (suffix,)):
            if one.resolve() in self.seen or one.name.endswith("_test.go"):
                continue
            if self.language == "java":
                if re.search(rf"\b{re.escape(one.stem)}\b", text) and not re.search(
                    rf"\bclass\s+{re.escape(one.stem)}\b", text
                ):
                    yield one.name
                continue
            other = self.text(one) or ""
            same = package and re.search(rf"^package\s+{package[1]}\b", other, re.MULTILINE)
            if same and not re.search(r"^func\s+main\s*\(", other, re.MULTILINE):
                names = re.findall(r"^(?:func|type|var|const)\s+(?:\([^)]*\)\s*)?(\w+)", other, re.MULTILINE)
                if any(re.search(rf"\b{name}\b", text) for name in names):
                    yield one.name

    def _of_java(self, text: str) -> Iterator[str]:
        """Files of classes that are imported of packages beside one's own."""
        package = re.search(r"^[ \t]*package\s+([\w.]+)", text, re.MULTILINE)
        up = "../" * len(package[1].split(".")) if package else ""
        for name in re.findall(r"^[ \t]*import\s+(?:static\s+)?([\w.]+(?:\.\*)?)\s*;", text, re.MULTILINE):
            inner = name.replace(".", "/")
            yield from (f"{up}{inner}.java", f"{up}{inner.rpartition('/')[0]}.java")

    def _packages(self, path: Path, text: str) -> Iterator[Path]:
        """Folders of Go's packages that a file imports of its own module."""
        named = _imports(text)
        root = next((one for one in path.resolve().parents[:_UP] if _is_file(one / "go.mod")), None) if named else None
        if root is None:
            return
        module = re.search(r"^module[ \t]+(\S+)", self.text(root / "go.mod") or "", re.MULTILINE)
        for _, name in named if module else ():
            own = module[1] if module else ""
            inner = name.removeprefix(own).lstrip("/") if name.startswith(f"{own}/") else ""
            if not inner:
                continue
            files = _near(root / inner, (".go",)) if (root / inner).is_dir() else []
            texts = [self.text(one) or "" for one in files if not one.name.endswith("_test.go")]
            if not texts:
                self.lost.append(name)
            elif self._clash(root / inner, texts):
                self.unread.append((name, "its names are those of others, too"))
            else:
                yield path.parent / os.path.relpath(root / inner, path.parent.resolve())

    def _clash(self, folder: Path, texts: Sequence[str]) -> bool:
        """Whether a package of Go has names that another one has, as all of them stand in one text."""
        mine = {name for one in texts for name in _TOP.findall(one)}
        others = [(one, text) for one, text in self.texts.items() if text and one.suffix == ".go"]
        return any(one.parent.resolve() != folder and mine & {*_TOP.findall(text)} for one, text in others)

    def search(self, text: str) -> None:
        """Looks for functions of C that are named and called here, and that stand in none of these files."""
        for _ in range(2):
            whole = "\n".join([text, *self.found.values()])
            lacking = frozenset(_lacking(whole))
            if not lacking:
                return
            for one in _near(self.first.parent, _BODIES):
                there = _defined(self.text(one) or "")
                if "main" not in there and not there.isdisjoint(lacking):
                    self.read(one)
        whole, named = "\n".join([text, *self.found.values()]), "\n".join(self.found.values())
        self.lost += [f"{name}()" for name in _lacking(whole) if re.search(rf"\b{name}\s*\(", named)]


def whole(language: str, text: str, place: str) -> Several:
    """A program that lies at a place, and the files beside it that it is made of. Never raises."""
    if language not in _LOCAL and language not in ("go", "java"):
        return Several(text)
    first = Path(place)
    reader = _Reader(language, first)
    reader.left = max(_TEXT - len(text), 0)
    try:
        if language == "python" and _is_file(first.with_name("os.py")):  # Python's own library
            return Several(text)
        reader.seen.add(first.resolve())
        reader.texts[first] = text
        reader.follow(first, text)
        if language in ("c", "c++"):
            reader.search(text)
    except (OSError, ValueError, RecursionError):
        return Several(text)
    names = tuple(_shown(path, first) for path in reader.found)
    comment = _COMMENT.get(language, "//")
    each = (f"{comment} {_SIGN}{name}\n{one}" for name, one in zip(names, reader.found.values(), strict=True))
    lines = [text.rstrip("\n") if names else text, *(one.rstrip("\n") for one in each)]
    lost, unread = dict.fromkeys(reader.lost), dict(reader.unread)
    return Several("\n".join(lines), names, tuple(lost), tuple(unread.items()))


@lru_cache(maxsize=8)
def parted(text: str) -> tuple[tuple[str, int, str], ...]:
    """The files of a text: the name of each, none of the first, the line that it is below, and what stands there."""
    if _SIGN not in text:
        return (("", 0, text),)
    marks = [*_MARK.finditer(text)]
    ends = [*(found.start() for found in marks), len(text)]
    made = [("", 0, text[: ends[0]])]
    for found, end in zip(marks, ends[1:], strict=True):
        made.append((found[1], text.count("\n", 0, found.start()) + 1, text[found.end() + 1 : end]))
    return tuple(made)


def where(text: str, line: int) -> str:
    """A line as people know it: with the name of its file, where that is not the first one."""
    name, start, _ = [one for one in parted(text) if one[1] < line or not one[1]][-1]
    return f"{name}:{line - start}" if name else str(line)


def joined(language: str, text: str) -> tuple[str, list[int]]:
    """The files of a text in the order in which they are needed, and which lines of it those are; none where it is one
    file."""
    first, *others = parted(text)
    if not others:
        return text, []
    made, lines = list[str](), list[int]()
    for name, start, inside in (*others, first):
        plain = _fitted(language, name, inside.rstrip("\n"), text, not made)
        made.append(plain)
        lines += range(start + 1, start + 1 + plain.count("\n") + 1)
    return "\n".join(made), lines


def _fitted(language: str, name: str, text: str, whole: str, first: bool) -> str:
    """A file as it stands among others, its lines where they are."""
    if language == "php" and not first:
        return re.sub(r"\?>\s*\Z", "", re.sub(r"\A\s*<\?php", "", text))
    if language == "php":
        return re.sub(r"\?>\s*\Z", "", text)
    if language == "go":
        packages = {one for _, _, inside in parted(whole) for one in re.findall(r"(?m)^package\s+(\w+)", inside)[:1]}
        others = packages - {"main"} - {*re.findall(r"(?m)^package\s+(\w+)", text)[:1]}
        known = {alias: path.rpartition("/")[2] for alias, path in _imports(text) if alias.isidentifier()}
        for one in others | {alias for alias, of in known.items() if of in others}:
            text = re.sub(rf"(?<![\w.\"]){one}\.(?=[A-Z])", "", text)
        text = text if first else re.sub(r"^package\s+\w+", "", text, count=1, flags=re.MULTILINE)
        return re.sub(r"^package\s+\w+", "package main", text, count=1, flags=re.MULTILINE)
    if language == "java":
        return text if first else re.sub(r"^package\s+[\w.]+\s*;", "", text, count=1, flags=re.MULTILINE)
    if language == "rust" and name:
        named = re.search(
            rf'#\[path\s*=\s*"(?:[^"\n]*/)?{re.escape(Path(name).name)}"\]\s*(?:pub\s+)?mod\s+(\w+)', whole
        )
        if named:
            return f"mod {named[1]} {{ {text} }}"
        return f"mod {Path(name).stem if Path(name).stem != 'mod' else Path(name).parent.name} {{ {text} }}"
    if language == "perl":
        return re.sub(r"^(?:1;|__END__)\s*\Z", "", text, flags=re.MULTILINE) if name else f"package main; {text}"
    if language == "lua":
        return _of_lua(name, text, whole)
    return _of_javascript(name, text, whole) if language == "javascript" else text


def _imports(text: str) -> list[tuple[str, str]]:
    """What a file of Go imports: by which other name, if any, and the path."""
    return _IMPORTED.findall("\n".join(re.findall(r"^import\b[ \t]*(?:\([^)]*\)|[^\n]*)", text, re.MULTILINE)))


_ASKED = r"[ \t]*require[ \t]*\(?[ \t]*"
"""How Lua asks for another file."""


def _of_lua(name: str, text: str, whole: str) -> str:
    """A module that gives a table, as the table that its user knows."""
    text = re.sub(rf"^[ \t]*local[ \t]+\w+[ \t]*={_ASKED}[\"'][\w.]+[\"'][ \t]*\)?", "", text, flags=re.MULTILINE)
    if not name:
        return text
    stem = Path(name).stem
    known = re.search(rf"\blocal[ \t]+(\w+)[ \t]*={_ASKED}[\"'](?:[\w.]+\.)?{re.escape(stem)}[\"']", whole)
    given = re.search(r"^return[ \t]+(\w+)[ \t]*;?\s*\Z", text, re.MULTILINE)
    if given is None:
        return text
    text = text[: given.start()].rstrip("\n")
    return re.sub(rf"(?<![\w.:]){re.escape(given[1])}\b", known[1], text) if known else text


def _lines_of(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _of_javascript(name: str, text: str, whole: str) -> str:
    """A file without what it takes from others, and what it gives."""
    alias = next((one for one, path in _ALIAS.findall(whole) if name and Path(path).stem == Path(name).stem), "")
    text = _TABLE.sub(f"const {alias} = ", text) if alias else text
    for pattern, put in _GIVEN:
        text = pattern.sub(put, text)
    files = {Path(path).stem: inside for path, _, inside in parted(whole)}
    for one, path in _ALIAS.findall(text):  # a file as a whole, unless it gives one thing of that name
        inside = files.get(Path(path).stem, "")
        if inside and not _TABLE.search(inside) and not re.search(rf"\b(?:class|function|const)[ \t]+{one}\b", inside):
            text = re.sub(rf"(?<![\w.]){one}\.(?=[A-Za-z_])", "", text)
    return _TAKEN.sub(_lines_of, text)


def _javascript(pattern: str) -> re.Pattern[str]:
    """`FILE` is another file, `ASKED` how it is asked for."""
    file = r"""["'](\.{1,2}/[^"'\n]+)["']"""
    return re.compile(pattern.replace("ASKED", r"require\([ \t]*FILE[ \t]*\)").replace("FILE", file), re.MULTILINE)


_ALIAS = _javascript(
    r"(?:\b(?:const|let|var)[ \t]+|^[ \t]*import[ \t]*\*[ \t]*as[ \t]+)(\w+)[ \t]*(?:=[ \t]*require\(|from)[ \t]*FILE"
)
"""A name for all that a file gives."""
_TAKEN = _javascript(
    r"^[ \t]*import\b[^;'\"]*?FILE[ \t]*;?|\b(?:const|let|var)[ \t]+(?:\w+|\{[^}]*\})[ \t]*=[ \t]*ASKED[ \t]*;?"
)
_TABLE = _javascript(r"^module\.exports[ \t]*=[ \t]*(?=\{)(?!\{[\s\w,]*\})")
"""What is given as an object that is written out, of more than names."""
_GIVEN = (
    (_javascript(r"^module\.exports[ \t]*=[ \t]*(?=class\b|(?:async[ \t]+)?function\b)"), ""),
    (_javascript(r"^module\.exports[ \t]*=[ \t]*(?:\{[\s\w,]*\}|\w+)[ \t]*;?[ \t]*$"), _lines_of),
    (_javascript(r"^(?:module\.)?exports\.(\w+)[ \t]*=[ \t]*\1[ \t]*;?[ \t]*$"), ""),
    (_javascript(r"(?:^|(?<=;))([ \t]*)(?:module\.)?exports\.(\w+)[ \t]*=(?!=)"), r"\1const \2 ="),
    (_javascript(r"(?<![\w.$])(?:module\.)?exports\.(?=[A-Za-z_$][\w$]*(?![\w$]|[ \t]*=[^=]))"), ""),
    (_javascript(r"^[ \t]*export[ \t]*(?:\{[^}]*\}|default[ \t]+\w+)[ \t]*;?[ \t]*$"), _lines_of),
    (_javascript(r"^[ \t]*export[ \t]+(?:default[ \t]+)?(?=(?:async[ \t]+)?(?:function|class|const|let|var)\b)"), ""),
)
"""What says that something is given, and what stays of it."""


def _modules(found: re.Match[str]) -> Iterator[str]:
    """Paths of Python's modules that a statement may mean."""
    of, names, several = found.groups()
    if several:
        for one in several.split(","):
            yield one.strip().partition(" ")[0].replace(".", "/")
        return
    up = len(of) - len(of.lstrip("."))
    base = "../" * max(up - 1, 0) + of.lstrip(".").replace(".", "/")
    if of.strip("."):
        yield base
    for one in (names or "").split(","):
        plain = one.strip().partition(" ")[0]
        if plain.isidentifier():
            yield f"{base}{'/' if of.strip('.') else ''}{plain}"


def own(text: str) -> frozenset[str]:
    """Of a Python program the modules that are files of its own."""
    return frozenset(module_of(name) for name, _, _ in parted(text) if name)


def modules_of(text: str, module: ast.Module) -> tuple[list[ast.stmt], dict[str, list[ast.stmt]]]:
    """Of Python's tree of a text the statements of the first file, and of the others by the names of their modules."""
    bounds = [start for _, start, _ in parted(text)]
    bodies = [list[ast.stmt]() for _ in bounds]
    for each in module.body:
        bodies[bisect_left(bounds, each.lineno, 1) - 1].append(each)
    return bodies[0], {module_of(name): body for (name, *_), body in zip(parted(text)[1:], bodies[1:], strict=True)}


def file_of(path: str, modules: Collection[str]) -> tuple[str, str]:
    """Which of these a path is in that is imported, and what of it: nothing where it is the file; two nothings of
    others."""
    path = path.lstrip(".")
    for asked, last in ((path, ""), path.rpartition(".")[::2]) if modules else ():
        found = next((one for one in modules if asked and (one == asked or one.endswith(f".{asked}"))), "")
        if found:
            return found, last
    return "", ""


def module_of(name: str) -> str:
    """How a file of Python is called as a module."""
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".").lstrip(".")


def _lacking(text: str) -> list[str]:
    """Functions of C that are named and called, but stand nowhere."""
    found, calls, there = dict.fromkeys(_NAMED.findall(text)), Counter(_CALLED.findall(text)), _defined(text)
    return [name for name in found if name not in there and calls[name] > 1]


def _defined(text: str) -> frozenset[str]:
    """Functions of C that stand in a text."""
    return frozenset(_DEFINED.findall(text))


def _near(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    found = sorted(one for one in folder.iterdir() if one.suffix in endings)
    return [one for one in found[:_NEAR] if _is_file(one)]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _text(path: Path) -> str | None:
    """What stands in a file, if it is a text of no more than are read."""
    try:
        with path.open("rb") as file:
            data = file.read(_TEXT + 1)
    except (OSError, ValueError):
        return None
    return None if len(data) > _TEXT or b"\0" in data else data.decode("utf-8", "replace").replace(_SIGN, "?")


def _unreadable(path: Path) -> str:
    """Why there is no text in a file."""
    try:
        with path.open("rb") as file:
            return f"it has more than {_TEXT >> 10} KiB" if len(file.read(_TEXT + 1)) > _TEXT else "it has zero bytes"
    except (OSError, ValueError):
        return "it cannot be opened"


def _broken(language: str, text: str) -> bool:
    """Whether it would take the others with it, where all of them are parsed at once."""
    if language != "python":
        return False
    try:
        tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return False


def _shown(path: Path, first: Path) -> str:
    try:
        return path.relative_to(first.parent).as_posix()
    except ValueError:
        return path.as_posix()
