"""Whether a program reads its standard input to the end, however much that is, and whether it is told by arguments.

Both are what a text alone does not tell: of an input that nobody names, and of words behind a program's name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from forerun.tasks._counters import skipped
from forerun.tasks._opened import asks

_C = r"\b(?:while|for|until)\s*\([^{}]*?\b(?:scanf|getchar\w*|gets|fgets|getline|fread)\s*\(|!=\s*EOF\b|\bfeof\s*\("
_TO_THE_END: Mapping[str, str] = {
    "python": r"\bstdin\b(?!(?:\.buffer)?\.(?:readline|isatty|fileno|encoding|reconfigure|close)\b)|\bEOFError\b"
    r"|\bwhile\b[^\n]*\breadline\s*\(|\biter\s*\(\s*(?:(?:sys\.)?stdin\.readline|input)\b|\bfileinput\b",
    "c": _C,
    "c++": rf"{_C}|\b(?:while|for)\s*\([^{{}}]*?\bcin\b|\bistream(?:buf)?_iterator\b|\bcin\.(?:rdbuf|read|eof)\b",
    "javascript": r"\bprocess\.stdin\.(?:on|setEncoding|pipe)\b|\bof\s+process\.stdin\b|\bcreateInterface\b"
    r"|\bread\w*\s*\(\s*(?:0\b|['\"]/dev/stdin)",
    "ruby": r"\b(?:while|until)\b[^\n]*\bgets\b|\bgets\b[^\n]*\b(?:while|until)\b|\bARGF\b|\$<|\breadlines\b"
    r"|(?:\bSTDIN|\$stdin)\.(?:read|each\w*|map|to_a|readlines|lines)\b|\bSTDIN\b(?!\.gets)|\bloop\b[^\n]*\bgets\b",
    "go": r"\bfor\b[^{\n]*\.Scan\(\)|\bReadAll\(|\bio\.EOF\b|\bfor\b[^{\n]*\bfmt\.Fscan",
    "rust": r"\.lines\(\)|\.bytes\(\)|\bread_to_(?:string|end)\b|\b(?:while|loop)\b[^;]*?\bread_line\(",
    "java": r"\.hasNext\w*\(\)|\breadLine\(\)\)?\s*!=\s*null|\.lines\(\)|\breadAllBytes\b|\.read\(\)\)?\s*!=\s*-1",
    "php": r"\b(?:while|for)\s*\([^{]*?\b(?:fgets|fgetcsv|fgetc|readline|fscanf)\s*\(|\bfeof\b|\bstream_get_contents\b"
    r"|\b(?:file|file_get_contents)\s*\(",
    "perl": r"\b(?:while|until|for|foreach)\b[^{;\n]*<(?:STDIN)?>|<(?:STDIN)?>[^;\n]*\bfor\b"
    r"|@\w+\s*=[^;\n]*<(?:STDIN)?>|\bjoin\b[^;\n]*<(?:STDIN)?>|\bmap\b[^;\n]*<(?:STDIN)?>|\blocal\s+\$/",
    "lua": r"\bio\.lines\s*\(\s*\)|\bio\.stdin\b|\bio\.read\s*\(?\s*['\"]\*?a|\bwhile\b[^\n]*\bio\.read\b",
}  # fmt: skip
"""What goes on as long as there is something; of programs that `asks` knows to read their input."""
_ARGUMENTS: Mapping[str, str] = {
    "python": r"\bsys\.argv\s*\[\s*(?!0\s*\])|\bfrom\s+sys\s+import\b[^\n]*\bargv\b|\bArgumentParser\s*\(|\bgetopt\b",
    "c": r"\bargv\s*\[\s*(?!0\s*\])|\bgetopt\w*\s*\(",
    "c++": r"\bargv\s*\[\s*(?!0\s*\])|\bgetopt\w*\s*\(",
    "javascript": r"\bprocess\.argv\b",
    "ruby": r"\bARGV\b",
    "go": r"\bos\.Args\b|\bflag\.Parse\s*\(",
    "rust": r"\benv::args\b",
    "java": r"\bargs\s*\[\s*\d|\bargs\.length\b",
    "php": r"\$argv\b",
    "perl": r"[@$]ARGV\b|\bGetOptions\b",
    "lua": r"\barg\s*\[\s*[1-9]",
}
"""What looks at the words behind a program's name."""
_WORD = re.compile(r"""(["'])[\w*/:.]*\1""")
"""A text of a word, as the names of inputs and formats are."""


def reads_on(language: str, text: str) -> bool:
    """Whether it reads all of its standard input, as far as its text tells. Never raises."""
    return asks(language, text) and _says(_TO_THE_END, language, text)


def takes_arguments(language: str, text: str) -> bool:
    """Whether it looks at the words behind its name. Never raises."""
    return _says(_ARGUMENTS, language, text)


def _says(patterns: Mapping[str, str], language: str, text: str) -> bool:
    """Whether a language's pattern stands outside comments, and texts of more than a word."""
    if language not in patterns:
        return False
    plain = re.sub(skipped(language), lambda one: one[0] if _WORD.fullmatch(one[0]) else " ", text)
    return re.search(patterns[language], plain) is not None
