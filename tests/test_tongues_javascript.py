"""Programs in JavaScript, by what its collector leaves and what its regular expressions find."""

import pytest

from forerun.tasks._walked import walked

LINES = (
    "const lines = [];\nfor (let i = 0; i < 300000; i++)\n"
    "  lines.push(`2024-01-01 host${i % 50} [INFO] request /api/${i % 4}/item/${i} took ${i % 977}ms`);\n"
    "const out = [];\nfor (const line of lines) {\n"
    "  const m = line.match(/^(\\S+) (\\S+) \\[(\\w+)\\] request (\\S+) took (\\d+)ms$/);\n  if (!m) continue;\n"
    "  out.push({ day: m[1], host: m[2], path: m[4], ms: Number(m[5]) });\n}\nconsole.log(out.length);\n"
)
WORDS = (
    "let text = '';\nfor (let i = 0; i < 60000; i++) text += `let v${i} = ${i} * x - y;\\n`;\n"
    "const re = /\\s*(?:(\\d+)|([a-z]\\w*)|(.))/g;\nconst out = [];\nlet m;\n"
    "while ((m = re.exec(text)) !== null) out.push({ kind: 1, text: m[0] });\nconsole.log(out.length);\n"
)


def test_a_pattern_finds_what_it_does_in_what_the_program_writes() -> None:
    """A line, three parts of it and a thing with four fields, of nearly all."""
    found = walked(LINES, "", "javascript")
    assert found.believed and not found.guessed
    assert 1.0e8 < found.bytes < 2.5e8


def test_a_pattern_finds_all_that_is_in_each_piece() -> None:
    """Nine of each line."""
    found = walked(WORDS, "", "javascript")
    assert found.bytes > 60_000 * 9 * 50


@pytest.mark.parametrize("parts", ["text.split(/\\s+/)", "text.split(' ')"])
def test_what_lists_had_before_they_grew_lies_there_beside_them(parts: str) -> None:
    text = (
        "const some = ['lorem', 'ipsum', 'dolor', 'sit'];\nlet all = [];\n"
        "for (let i = 0; i < 4000000; i++) all.push(some[i % 4]);\nconst text = all.join(' ');\nall = null;\n"
        f"const words = {parts};\nconsole.log(words.length);\n"
    )
    assert 2e8 < walked(text, "", "javascript").bytes < 4.5e8
