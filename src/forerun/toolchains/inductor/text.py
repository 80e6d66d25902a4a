"""A kernel as text for a language model: what Inductor wrote without what every kernel has, its arguments on top.

    in_ptr0 2x64x128
    out_ptr0 2x64
    for(x0=0; x0<128; x0+=1) {
    float acc0 = 0;
    for(x1=0; x1<128; x1+=16) {
    t0 = Vec<float>::loadu(in_ptr0 + x1 + 128*x0, 16);
    …

Arguments are written as `forerun.toolchains.inductor.kernel.Tensor` says, whole numbers as they are. Of C++ the
signature, casts of sizes, checks that nothing fails and braces around nothing are left out; of Triton imports, metadata
and comments, not the hints about sizes.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from forerun.toolchains.inductor.kernel import CPP, DTYPES, Kernel, Tensor
from forerun.toolchains.onnx.graph import WIDTHS

_CAST = "static_cast<int64_t>("
_ALONE = re.compile(r"[(\[=<>,+]\s*$"), re.compile(r"\s*(?:[,;)\]<>&]|$)")
"""What stands before and behind a sum that needs no brackets."""
_SHORTER = tuple(
    (re.compile(pattern), new)
    for pattern, new in (
        (r"\b(\d+)L\b", r"\1"),
        (r"static_cast<(?:float|double)>\((-?[\d.]+(?:e[+-]?\d+)?)\)", r"\1"),
        (r"\bat::vec::Vectorized(?:N)?<", "Vec<"),
        (r"\b(?:at::vec|std|c10|at::native)::", ""),
        (r"\bint64_t\b", "long"),
        (r"\bauto (tmp\d)", r"\1"),
        (r"\btmp_acc", "acc"),
        (r"\btmp(?=\d)", "t"),
        (r"\bfor\(long ", "for("),
    )
)
_CHECKS = re.compile(r"#|TORCH_CHECK|.*inductor_cpu_(?:integer_div_error|throw)|using ")
_LIKELY = re.compile(r"if\s*\(C10_LIKELY\(.*\)\)$")
_UNLIKELY = re.compile(r"if\s*\(C10_UNLIKELY\(.*\)\)$")
_LOOP = re.compile(r"for\((\w+)=(.+?); ?\1<(.+?); ?\1\+=(.+?)\)$")
_SUMS = re.compile(r"\b(?:vec_reduce_all|welford_combine|welford_vec_reduce_all|cascade_sum_combine)\b")

_NUMEL = re.compile(r"^\s*([xyzr]\d?_?)numel = (\d+)", re.MULTILINE)
_TRITON_SUMS = re.compile(
    r"\b(?:tl\.sum|tl\.max|tl\.min|triton_helpers\.(?:max2|min2|welford|prod|any)|tl\.reduce)\w*\("
)
_DROPPED = re.compile(
    r"#|tl\.(?:static|device)_assert|assert |R?[XYZ]?R?\d?_?BLOCK\b|rnumel =|(?:[xyz]|r\d?_?)(?:offset|index|mask) ="
    r"|(?:rindex|roffset|rbase|[xyz]base|r\d?_?base) ="
)
"""Of Triton: checks, and where in the grid a program is, which every kernel works out alike."""


@dataclass(frozen=True)
class Block:
    """Statements and blocks of C++ behind one header; the header of the whole is empty."""

    header: str
    body: tuple[Block | str, ...]


def text(kernel: Kernel) -> str:
    """The kernel and what it is launched on."""
    arguments = [f"{name} {value}" for name, value in kernel.arguments.items()]
    lines = _written(blocks(kernel.code), kernel.scalars) if kernel.lang == CPP else _python(kernel)
    return "\n".join([*arguments, *lines])


def counters(kernel: Kernel) -> dict[str, float]:
    """What can be counted, by name, always in the same order.

    `elements` of the largest tensor that is written; `read_bytes` and `written_bytes`, each tensor whole; `item_bytes`,
    the width of most of them; `reductions` in the text; `iterations` of the innermost loops (of Triton: elements of the
    whole grid); `flops`, statements times the elements that each is run on.
    """
    tensors = {name: value for name, value in kernel.arguments.items() if isinstance(value, Tensor)}
    written = [t for name, t in tensors.items() if "out" in name]
    read = [t for name, t in tensors.items() if name.startswith("in_")]
    widths = [WIDTHS[DTYPES[t.dtype]] for t in sorted(tensors.values(), key=lambda t: t.seen)]
    work = _native_work(kernel) if kernel.lang == CPP else _triton_work(kernel)
    return {
        "elements": float(max((t.seen for t in written), default=0)),
        "read_bytes": math.fsum(t.size_bytes for t in read),
        "written_bytes": math.fsum(t.size_bytes for t in written),
        "item_bytes": float(widths[-1]) if widths else 0.0,
    } | work


@lru_cache(maxsize=8)
def blocks(code: str) -> Block:
    """The body of a C++ kernel."""
    _, found, rest = code.partition('extern "C"')
    body = rest.partition("{")[2] if found else code
    lines = [line for raw in body.splitlines() if (line := _short(raw.strip())) and not _CHECKS.match(line)]
    return Block("", tuple(_nested(iter(lines))))


def _short(line: str) -> str:
    while (start := line.find(_CAST)) >= 0:
        line = _uncast(line, start)
    for pattern, new in _SHORTER:
        line = pattern.sub(new, line)
    return line


def _uncast(line: str, start: int) -> str:
    """Without the cast that starts there; its brackets stay where they bind."""
    first = last = start + len(_CAST)
    depth = 1
    while depth and last < len(line):
        depth += (line[last] == "(") - (line[last] == ")")
        last += 1
    before, inner, behind = line[:start], line[first : last - 1], line[last:]
    alone = re.fullmatch(r"[\w.]+", inner) or (_ALONE[0].search(before) and _ALONE[1].match(behind))
    return f"{before}{inner if alone else f'({inner})'}{behind}"


def _nested(lines: Iterator[str]) -> Iterator[Block | str]:
    """Up to the brace that closes; a header is the line before the brace that opens."""
    header = ""
    for line in lines:
        if line == "{":
            yield from _block(header, tuple(_nested(lines)))
            header = ""
            continue
        if header:
            yield header
        header = ""
        if line == "}":
            return
        if line.endswith((";", ")};")) and not line.startswith("for("):
            yield line
        else:
            header = line
    if header:
        yield header


def _block(header: str, body: tuple[Block | str, ...]) -> Iterator[Block | str]:
    """What is always run needs no braces, and a loop's body not its own condition."""
    if not header or _LIKELY.match(header):
        yield from body
    else:
        yield Block("if(tail)" if _UNLIKELY.match(header) else header, body)


def _written(block: Block, sizes: Mapping[str, int]) -> Iterator[str]:
    for each in block.body:
        if isinstance(each, str):
            yield each
        else:
            yield _counted(each.header, sizes) + " {"
            *most, last = [*_written(each, sizes)] or [""]
            yield from most
            yield last + "}"


def _counted(header: str, sizes: Mapping[str, int]) -> str:
    """A loop with its bounds worked out, where they can be."""
    loop = _LOOP.match(header)
    bounds = _bounds(loop, sizes) if loop else None
    if not loop or not bounds:
        return header
    name, (start, end, step) = loop[1], bounds
    return f"for({name}={start}; {name}<{end}; {name}+={step})"


def _native_work(kernel: Kernel) -> dict[str, float]:
    found = list(_statements(blocks(kernel.code), kernel.scalars, 1.0, 1.0))
    return {
        "reductions": float(sum(len(_SUMS.findall(line)) for line, _, _ in found)),
        "iterations": math.fsum({(runs, i): runs for i, (_, runs, _) in _firsts(found)}.values()),
        "flops": math.fsum(elements for line, _, elements in found if "=" in line or "store" in line),
    }


Statement = tuple[str, float, float]
"""A line, how often it runs, and on how many elements."""


def _firsts(found: Sequence[Statement]) -> Iterator[tuple[int, Statement]]:
    """The first statement of every run of statements that run equally often."""
    for i, each in enumerate(found):
        if not i or found[i - 1][1:] != each[1:]:
            yield i, each


def _statements(block: Block, sizes: Mapping[str, int], runs: float, elements: float) -> Iterator[Statement]:
    for each in block.body:
        if isinstance(each, str):
            yield each, runs, elements
            continue
        trips, covered = _trips(each.header, sizes)
        yield from _statements(each, sizes, runs * trips, elements * covered)


def _trips(header: str, sizes: Mapping[str, int]) -> tuple[float, float]:
    """How often a loop's body runs, and how many elements that covers; once where it is none or not understood."""
    if header == "if(tail)":
        return 0.0, 0.0
    loop = _LOOP.match(header)
    bounds = _bounds(loop, sizes) if loop else None
    if not bounds:
        return 1.0, 1.0
    start, end, step = bounds
    covered = max(0, end - start)
    return float(-(-covered // max(1, step))), float(covered)


def _bounds(loop: re.Match[str], sizes: Mapping[str, int]) -> tuple[int, int, int] | None:
    """Where a loop starts and ends, and its step."""
    try:
        return _value(loop[2], sizes), _value(loop[3], sizes), _value(loop[4], sizes)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return None


def _value(expression: str, sizes: Mapping[str, int]) -> int:
    """A whole number of C++. Raises ValueError, SyntaxError, ZeroDivisionError."""
    return _computed(ast.parse(expression.strip(), mode="eval").body, sizes)


def _computed(node: ast.expr, sizes: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name) if name in sizes:
            return sizes[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_computed(operand, sizes)
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _computed(left, sizes), _computed(right, sizes)
            match op:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return a // b
        case ast.Call(func=ast.Name(id=name), args=[left, right]) if "div_floor" in name:
            return _computed(left, sizes) // _computed(right, sizes)
    raise ValueError("not a size")


def _python(kernel: Kernel) -> Iterator[str]:
    """Hints, and the function's body."""
    hints = re.search(r"size_hints=(\{[^}]*\}|\[[^\]]*\])", kernel.code)
    kind = re.search(r"@triton_heuristics\.(\w+)", kernel.code)
    yield " ".join(["@" + (kind[1] if kind else "triton"), *([hints[1].replace(" ", "")] if hints else [])])
    for line in _triton_body(kernel):
        if line.strip() and not _DROPPED.match(line.strip()):
            yield re.sub(r"\btmp(?=\d)", "t", line.partition("  #")[0].rstrip())


def _triton_body(kernel: Kernel) -> list[str]:
    """Its lines, a space for each level of indentation."""
    found = re.search(rf"def {re.escape(kernel.name)}\(.*?\)\s*:\n", kernel.code, re.DOTALL)
    lines = kernel.code[found.end() if found else 0 :].splitlines()
    return [" " * ((len(line) - len(line.lstrip())) // 4 - 1) + line.lstrip() for line in lines]


def _triton_work(kernel: Kernel) -> dict[str, float]:
    sizes = {name: int(size) for name, size in _NUMEL.findall(kernel.code)}
    sizes |= {name.removesuffix("numel"): n for name, n in kernel.scalars.items() if name.endswith("numel")}
    points = math.prod(size for name, size in sizes.items() if name[0] != "r")
    reduced = math.prod(size for name, size in sizes.items() if name[0] == "r")
    flops, looping, body = 0.0, False, _triton_body(kernel)
    loops = any("tl.range(" in line for line in body)
    for line in body:
        looping = "tl.range(" in line or (looping and line.startswith(" "))
        if " = " in line or "tl.store" in line:
            flops += points * (reduced if looping or not loops else 1)
    return {
        "reductions": float(len(_TRITON_SUMS.findall("\n".join(body)))),
        "iterations": float(points * reduced),
        "flops": float(flops),
    }
