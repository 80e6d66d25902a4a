"""Whether a program reads files that are there before it runs: how much it takes follows from what stands in them.

Of 1,172 programs whose runs were measured, which have no files but those that they write, it names none but one that
reads its input by another name.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache

from forerun.tasks._shapes import called

_QUOTED = r"""["'][^"'\n]*["']"""
_READS = {
    "c": rf'\bfopen\s*\([^;]*?,\s*"r[^"]*"|\bopen\s*\(\s*{_QUOTED}\s*,\s*O_RDONLY',
    "c++": rf"\bifstream\s+\w+\s*[({{]|\bifstream\s*[({{]\s*{_QUOTED}",
    "javascript": r"\b(?:readFile(?:Sync)?|createReadStream)\s*\(\s*(?!0\b|process\.stdin|['\"]/dev/)",
    "ruby": r"\b(?:File|IO|CSV|Pathname)\.(?:read|readlines|foreach|binread|new|open)\b(?!\s*\(?\s*0\b)",
    "go": r"\b(?:os|ioutil)\.(?:ReadFile|Open)\s*\(\s*(?!\"/dev/)",
    "rust": r"\bFile::open\s*\(|\bfs::read(?:_to_string)?\s*\(\s*(?!\"/dev/)",
    "java": r"\bnew\s+File(?:Reader|InputStream)\s*\(|\bFiles\.(?:read\w*|lines|newBufferedReader)\s*\(",
    "php": r"\b(?:file_get_contents|file|fopen|readfile|SplFileObject)\s*\(\s*(?!['\"]php:|STDIN)",
    "perl": r"\bopen\b[^;]*['\"]<",
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


@lru_cache(maxsize=8)
def opens(language: str, text: str) -> bool:
    """Never raises."""
    if language == "python":
        try:
            return _python(ast.parse(text))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    pattern = _READS.get(language)
    if language == "c++":
        pattern = f"{pattern}|{_READS['c']}"
    return bool(pattern and re.search(pattern, text) and not _WRITES.search(text))


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
