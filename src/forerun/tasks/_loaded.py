"""How else a text names files that it is made of: where it puts folders among those that are searched, loads one by a
path that it reckons, or has one put in as it is compiled."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from forerun.tasks._python import tree

_TEXT = r"""["']([^"'\n]*)["']"""
_FOLDERS: Mapping[str, str] = {
    "perl": r"\buse[ \t]+lib\b([^;\n]*)|\bunshift\b[ \t(]*@INC\b[ \t]*,([^;\n]*)",
    "ruby": r"(?:\$LOAD_PATH|\$:)(?:\.(?:unshift|push|append|prepend)\b|[ \t]*<<)([^\n;]*)",
    "lua": r"\bpackage\.path[ \t]*=([^\n]*)",
    "php": r"\bset_include_path\b([^;\n]*)",
}
"""What puts folders among those that are searched."""
_PATHS: Mapping[str, str] = {
    "perl": r"(?<![\w$@%>-])(?:do|require)\b[ \t(]*([^;{}\n]*\.p[lm]\b[^;{}\n]*)",
    "ruby": r"(?:^|[|{;])[ \t]*(?:load\b(?=[ \t]*\(?[ \t]*(?:[\"'A-Z]|[a-z]\w*[ \t)]*(?:$|\})))"
    r"|require(?:_relative)?\b(?=[ \t(]+[a-z]\w*[ \t)]*(?:$|\}))"
    r"|require\b(?=[^\n]*(?:__dir__|__FILE__))|require_relative\b(?=[ \t(]*File\b)|autoload\b[ \t(]*:\w+[ \t]*,)"
    r"([^\n;]*)",
    "lua": r"\bloadfile\b[ \t]*\(?([^\n)]*)",
    "javascript": r"\b(?:require|import)[ \t]*\([ \t]*((?:(?:path\.)?(?:join|resolve)\b|__dirname\b|`)[^\n;]*"
    r"|[\"']\.[^\n;\"']*[\"'][ \t]*\+[^\n;]*)",
    "php": r"\b(?:require|include)(?:_once)?\b(?=[^;\n]*\$)([^;\n]*)",
}
"""What loads a file by a path that may be reckoned."""
_PUT = r"^[ \t]*#[ \t]*embed[ \t]*([\"<][^\">\n]+[\">])"
_DATA: Mapping[str, str] = {
    "c": _PUT,
    "c++": _PUT,
    "go": r"^[ \t]*//go:embed[ \t]+([^\r\n]+)",
    "rust": r"\binclude(?:_str|_bytes)?!\s*[(\[{]\s*([^\n;]*)",
    "javascript": rf"(?:\b(?:require|import)[ \t]*\([ \t]*|\bfrom[ \t]*){_TEXT.replace('*', '*[.]json')}",
}
"""What puts in what a file holds."""
_VARIABLE: Mapping[str, str] = {
    "perl": r"\$(?!FindBin::(?:Real)?Bin\b|RealBin\b|Bin\b)\w|\$ENV\b",
    "ruby": r"#\{(?!__dir__)|^[ \t(]*[a-z]\w*(?![\w.(:])",
    "lua": r"^\s*[A-Za-z_]\w*\s*$",
    "javascript": r"\$\{(?!__dirname)|[,+][ \t]*(?!__dirname)[A-Za-z_$][\w$.]*[ \t]*[,)+]",
    "php": r"\$\w",
    "rust": r"\b(?:concat|env)!",
}
"""What a path has whose name does not stand there."""
_REMARK = ("#", "//", "--", "*", "/*")
_CLASS = re.compile(
    r"\bnew\s+\\?([A-Z][\w\\]*)|(?<![\w\\$>])\\?([A-Z][\w\\]*)::(?!class)|\bextends\s+\\?([A-Z][\w\\]*)"
)
"""Classes that PHP is asked for."""
_BUILT_IN = re.compile(
    r"Spl\w+|Array\w+|\w*Exception|\w*Error|\w*Iterator|Date\w*|Closure|Generator|PDO\w*|Reflection\w*|Weak\w+|DOM\w*"
    r"|Random\\.*|XML\w*|SimpleXML\w*|Collator|Number\w*|Intl\w*|ZipArchive|Fiber|Phar\w*"
)


@dataclass(slots=True)
class Loaded:
    """Paths of files that are programs, folders that are searched, files of data, and what is named by no words."""

    files: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


def loaded(language: str, text: str, name: str) -> Loaded:
    """What the text of a file of this name says, besides what it imports. Never raises."""
    if language == "python":
        return _python(text)
    made = Loaded()
    for found in _lines(_FOLDERS, language, text):
        said = found[0]
        if language == "lua":
            made.folders += [one.partition("?")[0] for one in re.findall(r"[^;'\"]*\?", said)]
        elif path := _path(language, said, name):
            made.folders += path if language == "perl" else path[:1]
        elif not re.search(r"__dir__|__FILE__|__DIR__|FindBin", said):
            made.unknown.append(f"what lies in {said.strip(' ()=,')[:40]}")
    for said, line in _lines(_PATHS, language, text):
        if (path := _path(language, said, name)) and path[0] != ".":
            made.files += path[:1]
        elif language != "php" or "$" in said:
            made.unknown.append(f"what line {line} loads")
    for said, line in _lines(_DATA, language, text):
        names = re.findall(_TEXT, said.replace("<", '"').replace(">", '"')) or (
            said.split() if language != "rust" else []
        )
        variable = language == "rust" and re.search(_VARIABLE["rust"], said)
        made.data += (
            [f"what line {line} puts in"] if variable or not names else names[: None if language == "go" else 1]
        )
    if language == "php" and "spl_autoload_register" in text:
        made.unknown = [one for one in made.unknown if one.startswith("what lies")]
        made.modules = _classes(text)
        made.folders += re.findall(r"__DIR__[ \t]*\.[ \t]*[\"']/([\w/.]+)/(?=[\"'$])", text)
    return made


def _lines(patterns: Mapping[str, str], language: str, text: str) -> Iterator[tuple[str, int]]:
    """What such words say, and the lines where they stand, but in comments."""
    pattern = patterns.get(language)
    for found in re.finditer(pattern, text, re.MULTILINE) if pattern else ():
        start = text.rfind("\n", 0, found.start()) + 1
        before = text[start : found.start()]
        if not before.lstrip().startswith(_REMARK):
            yield next(filter(None, found.groups()), ""), text.count("\n", 0, found.start()) + 1


def _path(language: str, said: str, name: str) -> list[str]:
    """The path that an expression has, of all whose parts stand there; several of a list of them."""
    if re.search(_VARIABLE.get(language, "(?!)"), said):
        return []
    said = re.sub(r"\$FindBin::(?:Real)?Bin|\$(?:Real)?Bin\b|#\{__dir__\}|\$\{__dirname\}", ".", said)
    words = re.findall(r"""["'`]([^"'`\n]*)["'`]""", said)
    if language == "perl":
        listed = re.search(r"\bqw\s*[(\[{/]([^)\]}/]*)", said)
        words = listed[1].split() if listed else words
        own = re.search(r"__FILE__|Bin\b", said)
        return [posixpath.normpath(one.lstrip("/") if own else one) for one in words]
    if language == "ruby" and "expand_path" in said and "__FILE__" in said and "dirname" not in said:
        words = [name, *words]
    if not words:
        return ["."] if re.search(r"__dir__|dirname|__DIR__|Bin\b", said) else []
    rooted = re.search(r"__dir__|__dirname|__FILE__|__DIR__|getcwd", said)
    path = posixpath.normpath("/".join(words))
    return [path.lstrip("/") if rooted else path]


def _classes(text: str) -> list[str]:
    """Classes that are asked for and stand somewhere else."""
    there = set(re.findall(r"\b(?:class|interface|trait|enum)\s+(\w+)", text))
    named = dict.fromkeys(next(filter(None, groups)) for groups in _CLASS.findall(text))
    return [
        one.replace("\\", "/") for one in named if one.rpartition("\\")[2] not in there and not _BUILT_IN.fullmatch(one)
    ]


_LOADING = frozenset("importlib.import_module import_module __import__ runpy.run_module run_module".split())
_RUNNING = frozenset("runpy.run_path run_path".split())
_KNOWN = frozenset("os path sys str pathlib Path __file__ join dirname abspath realpath".split())
"""Names that a path is reckoned with."""

_MOST = 20
"""Parts that a path may have, and folders that it goes up."""


def _python(text: str) -> Loaded:
    made = Loaded()
    if not re.search(r"\bsys\.path\b|import_module|__import__|run_path|run_module", text):
        return made
    try:
        module = tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return made
    given = {
        target.id: node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            _of_call(made, node, given)
        elif isinstance(node, (ast.Assign, ast.AugAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if ast.unparse(target).startswith("sys.path"):
                listed = [one for each in ast.walk(node.value) if isinstance(each, ast.List) for one in each.elts]
                _put(made, listed or [node.value], given)
    return made


def _of_call(made: Loaded, node: ast.Call, given: Mapping[str, ast.expr]) -> None:
    called, arguments = ast.unparse(node.func), node.args
    if called in ("sys.path.insert", "sys.path.append", "sys.path.extend"):
        last = arguments[-1:]
        _put(made, last[0].elts if last and isinstance(last[0], (ast.List, ast.Tuple)) else last, given)
    elif called in _LOADING and arguments:
        name = arguments[0]
        if isinstance(name, ast.Name):
            name = given.get(name.id, name)
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            made.modules.append(name.value.lstrip(".").replace(".", "/"))
        else:
            made.unknown.append(f"what line {node.lineno} imports")
    elif called in _RUNNING and arguments:
        path = _reckoned(arguments[0], given)
        if path is None:
            made.unknown.append(f"what line {node.lineno} runs")
        else:
            made.files.append(path)


def _put(made: Loaded, several: Sequence[ast.expr], given: Mapping[str, ast.expr]) -> None:
    """Folders that are searched for modules."""
    for each in several:
        path = _reckoned(each, given)
        if path is None:
            made.unknown.append(f"what lies in {_said(each)}")
        else:
            made.folders.append(path)


def _said(node: ast.expr) -> str:
    try:
        return ast.unparse(node)[:40]
    except RecursionError:
        return "a folder"


def _reckoned(node: ast.expr, given: Mapping[str, ast.expr], deep: int = 0) -> str | None:
    """A path, from the folder where the program lies; None of others."""
    words, up, own = list[str](), 0, False
    for each in _in_order(node):
        if len(words) > _MOST:
            return None
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            words.append(each.value)
        elif isinstance(each, ast.Name) and each.id == "__file__":
            own = True
        elif isinstance(each, ast.Name) and each.id in given and deep < 4:
            path = _reckoned(given[each.id], given, deep + 1)
            if path is None:
                return None
            words.append(path)
        elif isinstance(each, ast.Name) and each.id not in _KNOWN:
            return None
        elif isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Constant):
            up += min(max(each.slice.value, 0), _MOST) + 1 if isinstance(each.slice.value, int) else 0
        elif isinstance(each, ast.Attribute) and each.attr in ("environ", "argv", "getenv"):
            return None
        up += isinstance(each, ast.Attribute) and each.attr == "parent"
        up += isinstance(each, ast.Call) and ast.unparse(each.func).endswith("dirname")
    path = "/".join(chain([".."] * (max(up - 1, 0) if own else up), (one.lstrip("/") if own else one for one in words)))
    return posixpath.normpath(path or ".")


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """All that stands in it, as it is written."""
    left = [node]
    while left:
        each = left.pop()
        yield each
        left += reversed([*ast.iter_child_nodes(each)])
