"""Whether a program reads files that are there before it runs: how much it takes follows from what stands in them.

Of 1,172 programs whose runs were measured, which have no files but those that they write, it names none but one that
reads its input by another name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from forerun.tasks._python import tree
from forerun.tasks._shapes import called

_QUOTED = r"""["'][^"'\n]*["']"""
_READS = {
    "c": rf'\bfopen\s*\([^;]{{0,200}}?,\s*"r[^"]*"|\bopen\s*\(\s*{_QUOTED}\s*,\s*O_RDONLY',
    "c++": rf"\bifstream\s+\w+\s*[({{]|\bifstream\s*[({{]\s*{_QUOTED}",
    "javascript": r"\b(?:readFile(?:Sync)?|createReadStream)\s*\(\s*(?!0\b|process\.stdin|['\"]/dev/)",
    "ruby": r"\b(?:File|IO|CSV|Pathname)\.(?:read|readlines|foreach|table|binread|new|open)\b(?!\s*\(?\s*0\b)",
    "go": r"\b(?:os|ioutil)\.(?:ReadFile|Open)\s*\(\s*(?!\"/dev/)",
    "rust": r"\bFile::open\s*\(|\bfs::read(?:_to_string)?\s*\(\s*(?!\"/dev/)",
    "java": r"\bnew\s+File(?:Reader|InputStream)\s*\(|\bFiles\.(?:read\w*|lines|newBufferedReader)\s*\(",
    "php": r"\b(?:file_get_contents|file|fopen|readfile|SplFileObject)\s*\(\s*(?!['\"]php:|STDIN)",
    "perl": r"\bopen\b[^;]{0,200}['\"]<",
    "lua": r"\bio\.(?:open|lines|input)\s*\(\s*[^)\s]",
}
"""How other languages read files by their names."""
_WRITES = re.compile(
    r"\bofstream\b|\bfstream\s+\w|\btmpfile\b|\bmkstemp\b|\bfwrite\b|\bfputs\b|O_CREAT|['\"][wax]\+?b?\+?['\"]|['\"]>>?['\"]"
    r"|\b(?:write|append)File(?:Sync)?\b|\bcreateWriteStream\b|\bFile\.write\b|\bTempfile\b|\b(?:os|ioutil)\.(?:WriteFile"
    r"|Create\w*)\b|\bFile::create\b|\bfs::write\b|\bFileWriter\b|\bFileOutputStream\b|\bFiles\.(?:write\w*|create\w*"
    r"|newBufferedWriter)\b|\bfile_put_contents\b|\btempnam\b|\btmpname\b|__FILE__|__filename|/proc/|/dev/"
)
"""What writes some, which may be those, or reads what any machine has."""
_OWN = frozenset(
    "write_text write_bytes tofile savetxt save savez to_csv dump mkstemp mkdtemp TemporaryDirectory".split()
)
_OWN_MODULES = frozenset("tempfile tarfile zipfile sqlite3 shutil shelve dbm".split())
_TABLES = re.compile(r"^read_(?:csv|json|excel|parquet|table|text|bytes|hdf|feather|sql|pickle)$")
_ARRAYS = frozenset("loadtxt genfromtxt fromfile memmap".split())
_OPENING = re.compile(r"\b(?:open|load|loadtxt|genfromtxt|fromfile|memmap|read_\w+)\s*\(")
"""Without which Python reads no file."""
_TOUCHES = re.compile(
    r"\b(?:open|fileinput\.\w+)\s*\(|\bread_(?:text|bytes|csv|table|json)\s*\(|\b(?:loadtxt|genfromtxt|fromfile)\s*\("
)
"""What opens files in Python."""
_TEXT = r"""["'][^"'\n]*["']"""
_ELSEWHERE = re.compile(
    rf"(?m){_TEXT}\s*,\s*[\"'][wax]\+?[bt]?\+?[\"']|\b(?:write|append)File(?:Sync)?\s*\(\s*{_TEXT}|\bofstream\s+\w+\s*[({{]\s*{_TEXT}"
    rf"|\bFile(?:::create|\.write)\s*\(?\s*{_TEXT}|\bfile_put_contents\s*\(\s*{_TEXT}|[\"']>>?\s*[^\"'\n]*[\"'](?:\s*,\s*{_TEXT})?"
    rf"|^[ \t]*\#[ \t]*include\b.*|^[ \t]*(?:import|use|from)\b[^;\n]*|\b(?:require|include)\w*\s*\(?\s*{_TEXT}"
)
"""Names of files that programs of other languages write, or are made of."""


_EMBEDDED = r"(?m)^[ \t]*//go:embed[ \t]+(?:\"([^\"\n*?\[\]]+)\"|([\w./-]+))[ \t\r]*(\n(?:[ \t]*(?://(?!go:embed)[^\n]*)?\r?\n)*)"
"""Where Go puts one file in, whose name that is, with the lines up to what has it."""
_INCLUDED = r'\binclude_*!\s*[(\[{]\s*(?:r\#*)?("[^"\n]+")\#*\s*,?\s*[)\]}]'
_PUT_IN: Mapping[str, Sequence[tuple[str, str]]] = {
    "go": (
        (_EMBEDDED + r"([ \t]*)var[ \t]+(\w+)[ \t]+(?:string|\[\]byte)\b[ \t\r]*$",
         r'\3\4var \5, _ = os.ReadFile("\1\2")'),
        (_EMBEDDED + r"([ \t]+)(\w+)[ \t]+(?:string|\[\]byte)\b[ \t\r]*$", r'\3\4\5, _ = os.ReadFile("\1\2")'),
    ),
    "rust": (
        (_INCLUDED.replace("_*", "_str"), r"std::fs::read_to_string(\1).unwrap()"),
        (_INCLUDED.replace("_*", "_bytes"), r"std::fs::read(\1).unwrap()"),
    ),
    "javascript": (
        (r"""\brequire[ \t]*\([ \t]*(["'][^"'\n]+\.json["'])[ \t]*\)""",
         r'JSON.parse(require("fs").readFileSync(\1, "utf8"))'),
        (r"""(?m)^([ \t]*)import[ \t]+(\w+)[ \t]+from[ \t]+(["'][^"'\n]+\.json["'])"""
         r"(?:[ \t]*(?:with|assert)[ \t]*\{[^}\n]*\})?",
         r'\1const \2 = JSON.parse(require("fs").readFileSync(\3, "utf8"))'),
    ),
}  # fmt: skip
"""How files are put in as data, and how a program would read them instead."""


@lru_cache(maxsize=8)
def read_plainly(language: str, text: str) -> str:
    """A text that reads what is put into it as data, its lines where they are."""
    for pattern, put in _PUT_IN.get(language, ()):
        text = re.sub(pattern, put, text)
    return text


_ASKS: Mapping[str, str] = {
    "python": r"\binput\s*\(|\bstdin\b",
    "c": r"(?<!\w)(?:scanf|getchar|gets)\s*\(|\bstdin\b",
    "c++": r"(?<!\w)(?:scanf|getchar|gets)\s*\(|\bstdin\b|\bcin\b",
    "javascript": r"\bprocess\.stdin\b|\bread\w*\s*\(\s*(?:0\b|['\"]/dev/stdin)",
    "ruby": r"(?<![.\w])gets\b|\bSTDIN\b|\$stdin\b|\bARGF\b|\$<",
    "go": r"\bos\.Stdin\b|\bfmt\.Scan",
    "rust": r"\bstdin\s*\(",
    "java": r"\bSystem\.in\b",
    "php": r"\bSTDIN\b|php://stdin|\breadline\s*\(",
    "perl": r"<(?:STDIN)?>|\bSTDIN\b",
    "lua": r"\bio\.(?:read|stdin)\b|\bio\.lines\s*\(\s*\)",
}
"""How the standard input is read."""


_OWN_DATA: Mapping[str, tuple[str, str]] = {"ruby": (r"\bDATA\b", "$stdin"), "perl": (r"\bDATA\b", "STDIN")}
"""How programs name what stands at their end, and the input."""
_END = re.compile(r"(?m)^__(?:END|DATA)__[ \t\r]*\n")


def at_end(language: str, text: str) -> tuple[str, str]:
    """A program that reads what stands at its own end as one that is given that, and what it is; no data of others."""
    end = _END.search(text) if language in _OWN_DATA else None
    if end is None or asks(language, text[: end.start()]):
        return text, ""
    pattern, put = _OWN_DATA[language]
    program, many = re.subn(pattern, put, text[: end.start()])
    return (program, text[end.end() :]) if many else (text, "")


_PARSES: Mapping[str, str] = {
    "go": r"\b(?:json|xml|yaml|gob)\.(?:Unmarshal|NewDecoder)\b",
    "rust": r"\bserde_json\b|\bfrom_(?:str|slice|reader)\s*(?:::<[^()]*>)?\(",
    "java": r"\b(?:ObjectMapper|Gson|JSONObject|JSONArray|DocumentBuilder\w*)\b",
    "c": r"\bcJSON_Parse\b|\bjson_\w*(?:parse|load)\w*\b",
    "c++": r"\bjson::parse\b|\bcJSON_Parse\b",
    "perl": r"\bdecode_json\b|\bfrom_json\b|\bJSON(?:::\w+)?->new\b",
    "lua": r"\bjson\.decode\b|\bcjson\b",
}


def asks(language: str, text: str) -> bool:
    """Whether it reads its standard input. Never raises."""
    return language in _ASKS and re.search(_ASKS[language], text) is not None


def reads(language: str, text: str) -> bool:
    """Whether it may open files that are there, beside those that it writes. Never raises."""
    pattern = _READS.get(language, "")
    if language == "c++":
        pattern = f"{pattern}|{_READS['c']}"
    text = read_plainly(language, text)
    return bool(_TOUCHES.search(text) if language == "python" else pattern and re.search(pattern, text))


def parses(language: str, text: str) -> bool:
    """Whether it makes values of a text by rules that are not gone through: JSON and the like. Never raises."""
    return re.search(_PARSES.get(language, "(?!)"), text) is not None


def read_of(language: str, text: str) -> str:
    """A text of another language without the names of files that it writes, and of those that it is made of."""
    return _ELSEWHERE.sub("", read_plainly(language, text))


_GIVEN = r"""\((?![^()\n]*["'][wax]\+?b?["'])(?:[^()]|\([^()]*\))*\)"""
_MAPPED = r"\bmmap\s*\(([^;{}]*?)\bMAP_(?:PRIVATE|SHARED)\b", r"mmap(\1MAP_ANONYMOUS"
_FIRST = r"""\(\s*(?:[^(),]|\([^()]*\))+((?:,[^()]*)?)\)"""
_AS_INPUT: Mapping[str, Sequence[tuple[str, str]]] = {
    "ruby": (
        (rf"\b(?:File|IO)\.(?:open|new){_GIVEN}(?=\s*(?:do\b|\{{))", r"$stdin.then"),
        (rf"\b(?:File|IO)\.(?:open|new){_GIVEN}", r"$stdin"),
        (rf"\b(?:File|IO)\.foreach{_GIVEN}", r"$stdin.each_line"),
        (rf"\b(?:File|IO)\.(read|readlines){_GIVEN}", r"$stdin.\1"),
        (rf"\b(?:File|IO)\.binread{_GIVEN}", r"$stdin.read"),
        (rf"\bCSV\.foreach{_FIRST}", r"CSV.parse($stdin\1).each"),
        (rf"\bCSV\.(?:read|readlines){_FIRST}", r"CSV.parse($stdin\1).to_a"),
        (rf"\bCSV\.table{_FIRST}", r"CSV.parse($stdin, headers: true, converters: :numeric\1).to_a"),
    ),
    "rust": ((rf"(?:\b\w+::)*\bFile::open{_GIVEN}(?:\?|\.unwrap\(\)|\.expect\([^()]*\))?", "std::io::stdin()"),),
    "javascript": (
        (rf"\bawait\s+(?:\w+\.)*readFile{_GIVEN}", 'require("fs").readFileSync(0, "utf8")'),
        (rf"(?:\b\w+\.|\brequire\s*\([^()]*\)\.)?\bcreateReadStream{_GIVEN}(?=\s*\.on\b)", "process.stdin"),
    ),
    "c": (
        _MAPPED,
        (r"\bfread\s*\(([^;{}]*),\s*\w+\s*\)", r"fread(\1, stdin)"),
    ),
    "c++": (
        _MAPPED,
        (r"\bfread\s*\(([^;{}]*),\s*\w+\s*\)", r"fread(\1, stdin)"),
    ),
    "java": (
        (rf"\bFiles\.readAllLines{_GIVEN}", "new BufferedReader(new InputStreamReader(System.in)).lines().toList()"),
        (rf"\bFiles\.lines{_GIVEN}", "new BufferedReader(new InputStreamReader(System.in)).lines()"),
        (rf"\bFiles\.readString{_GIVEN}", "new String(System.in.readAllBytes())"),
    ),
}
"""What reads a file, as it reads the input: of other languages their translations say so."""


_SIZES: Mapping[str, str] = {
    "c": r"\bftello?\s*\(\s*\w+\s*\)|\b\w+(?:\.|->)st_size\b",
    "c++": r"\bftello?\s*\(\s*\w+\s*\)|\b\w+(?:\.|->)st_size\b|\b\w+\.tellg\s*\(\s*\)"
    r"|\b(?:std::)?(?:filesystem|fs)::file_size\s*\([^()]*\)",
    "javascript": r"(?:\b\w+\.)?\b(?:stat|fstat)Sync\s*\([^()]*\)\.size\b",
    "ruby": rf"\bFile\.size{_GIVEN}",
    "php": rf"\bfilesize\s*{_GIVEN}",
}
"""How long the file is that is read."""


def sized(language: str, text: str) -> bool:
    """Whether it asks how long the file is that it reads. Never raises."""
    return language in _SIZES and re.search(_SIZES[language], text) is not None


def as_input(language: str, text: str, size: float) -> str:
    """A text in which the file that it reads is its input, which has so many bytes, its lines where they are."""
    before = text = read_plainly(language, text)
    if sized(language, text):
        text = re.sub(_SIZES[language], f"{size:.0f}", text)
    patterns = _AS_INPUT.get(language, ())
    if language in ("c", "c++") and not re.search(r"\bftello?\b|\bst_size\b|\bfile_size\b", before):
        patterns = ()
    for pattern, put in patterns:
        text = re.sub(pattern, lambda found, put=put: found.expand(put) + "\n" * found[0].count("\n"), text)  # type: ignore[misc]
    return text


@lru_cache(maxsize=8)
def opens(language: str, text: str) -> bool:
    """Never raises."""
    if language == "python":
        try:
            return _OPENING.search(text) is not None and _python(tree(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return reads(language, text) and not _WRITES.search(text)


def _python(module: ast.Module) -> bool:
    imported = {
        one.name.partition(".")[0] for node in ast.walk(module) if isinstance(node, (ast.Import, ast.ImportFrom))
        for one in (node.names if isinstance(node, ast.Import) else [ast.alias(node.module or "")])
    }  # fmt: skip
    if imported & _OWN_MODULES:
        return False
    own = {one.name for one in ast.walk(module) if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
    calls = [one for one in ast.walk(module) if isinstance(one, ast.Call) and called(one) not in own]
    if any(called(one) in _OWN or _mode(one) & {*"wax"} for one in calls):
        return False
    return any(map(_reads, calls))


def _mode(call: ast.Call) -> set[str]:
    """Letters of the mode that a file is opened with."""
    if called(call) not in ("open", "fdopen"):
        return set()
    given = call.args[1 if isinstance(call.func, ast.Name) or ast.unparse(call.func) == "io.open" else 0 :][:1]
    given += [each.value for each in call.keywords if each.arg == "mode"]
    return {letter for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str)
            for letter in one.value if len(one.value) < 5}  # fmt: skip


def _reads(call: ast.Call) -> bool:
    named = called(call)
    if _TABLES.match(named) or named in _ARRAYS or ast.unparse(call.func) in ("np.load", "numpy.load"):
        return not any(isinstance(one, ast.Call) for each in call.args for one in ast.walk(each))  # `StringIO(text)`
    if ast.unparse(call.func) not in ("open", "io.open", "codecs.open", "gzip.open"):
        return False
    return bool(call.args) and not any(map(_everywhere, ast.walk(call.args[0])))


def _everywhere(one: ast.AST) -> bool:
    """Of a file's name what says that it is the program itself, its input, or the system's."""
    if isinstance(one, ast.Constant):
        return one.value == 0 or (isinstance(one.value, str) and one.value.startswith(("/proc", "/dev", "/sys")))
    return isinstance(one, ast.Name) and one.id == "__file__"
