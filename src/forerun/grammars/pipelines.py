"""LLVM new-pass-manager pipelines as a language of flat steps.

A step is a pass with the nest it runs in; neighbours that share a nest share its parentheses:

    ["globalopt", "cgscc/inline", "cgscc/function/sroa<modify-cfg>", "function/loop-mssa/licm<allowspeculation>"]
    globalopt,cgscc(inline,function(sroa<modify-cfg>)),function(loop-mssa(licm<allowspeculation>))

So nesting never has to be balanced by a model: every sequence of steps is a pipeline, and merging is what makes the
spelling unique. After the module's own steps, single functions may get function passes of their own, in order of name:

    ["globaldce", "@", "@crc32", "function/gvn<>"]
    globaldce @crc32(gvn<>)
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from forerun.core import END, Grammar

OWN = "@"
"""The piece after which functions are named."""

NESTS = ("cgscc", "function", "loop", "loop-mssa")
FUNCTION_NAME = re.compile(r"[\w.$]+")
"""Functions that a plan may name; others keep the module's pipeline."""

_TOKEN = re.compile(r"[(),]|[^(),<>]+(?:<[^<>]*>)?")


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps for the whole module, then further function passes for single functions (in order of name)."""

    steps: tuple[str, ...] = ()
    functions: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __str__(self) -> str:
        own = [f"@{name}({_inner(steps)})" for name, steps in self.functions]
        return " ".join([merge(self.steps), *own])

    def __len__(self) -> int:
        return len(self.steps) + sum(len(steps) for _, steps in self.functions)


def merge(steps: Iterable[str]) -> str:
    """Steps as LLVM's pipeline text, adjacent equal nests shared."""
    out: list[str] = []
    here: list[str] = []
    for step in steps:
        *nest, name = step.split("/")
        keep = 0
        while keep < min(len(here), len(nest)) and here[keep] == nest[keep]:
            keep += 1
        out.append(")" * (len(here) - keep) + ("," if out else ""))
        out.append("".join(f"{n}(" for n in nest[keep:]) + name)
        here = nest
    return "".join(out) + ")" * len(here)


def flatten(text: str) -> tuple[str, ...]:
    """The steps of a pipeline text. Adaptors that only repeat or wrap (`module`, `devirt<4>`) are looked through.

    Raises ValueError where the text is not a pipeline.
    """
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != text:
        raise ValueError(f"not a pass pipeline: {text!r}")
    steps: list[str] = []
    nest: list[str] = []
    for token, following in zip(tokens, [*tokens[1:], ""], strict=False):
        if token == ")":
            if not nest:
                raise ValueError(f"unbalanced ')' in the pipeline {text!r}")
            nest.pop()
        elif following == "(":
            nest.append(token.partition("<")[0])
        elif token not in "(,":
            steps.append("/".join([*(n for n in nest if n in NESTS), token]))
    if nest:
        raise ValueError(f"unbalanced '(' in the pipeline {text!r}")
    return tuple(steps)


def parse_plan(text: str) -> Plan:
    """The inverse of `str(plan)`. Raises ValueError."""
    pipeline, *own = text.split(" ")
    functions = []
    for part in own:
        match = re.fullmatch(r"@([\w.$]+)\((.+)\)", part)
        if not match:
            raise ValueError(f"not a function's passes: {part!r}")
        functions.append((match[1], flatten(f"function({match[2]})")))
    return Plan(flatten(pipeline), tuple(functions))


def _inner(steps: Iterable[str]) -> str:
    return merge(step.removeprefix("function/") for step in steps)


class Pipelines(Grammar[Plan]):
    """Every plan over a vocabulary of steps, with at most `max_steps` steps, for a module with these functions."""

    def __init__(self, vocabulary: Sequence[str], functions: Sequence[str] = (), max_steps: int = 20_000) -> None:
        self.vocabulary = tuple(vocabulary)
        self.functions = tuple(sorted(f"@{name}" for name in functions if FUNCTION_NAME.fullmatch(name)))
        self.max_steps = max_steps
        self.known = dict.fromkeys(self.vocabulary).keys()
        self.local = dict.fromkeys(step for step in self.vocabulary if step.startswith("function/")).keys()

    def write(self, answer: Plan) -> list[str]:
        """Steps, then for each function its name and its steps."""
        own = [piece for name, steps in answer.functions for piece in (f"@{name}", *steps)]
        return [*answer.steps, OWN, *own] if own else list(answer.steps)

    def read(self, pieces: Sequence[str]) -> Plan:
        """Raises ValueError for a step that is not in the vocabulary, or a function that the module has not."""
        state = _State(self)
        for piece in pieces:
            state.push(piece)
        return state.plan()

    def allowed(self, prefix: Sequence[str]) -> Collection[str]:
        """Any step at any place, while there is room; a named function takes function passes only."""
        state = _State(self)
        for piece in prefix:
            state.push(piece)
        return tuple(state.following())

    def text(self, answer: Plan) -> str:
        """LLVM's own spelling."""
        return str(answer)

    def parse(self, text: str) -> Plan:
        """A plan within this vocabulary. Raises ValueError."""
        return self.read(self.write(parse_plan(text)))

    def adapt(self, text: str) -> Plan:
        """Steps of other versions become the like of this one: same pass and nest, most parameters in common."""
        plan = parse_plan(text)
        own = tuple((name, self._nearest(steps)) for name, steps in plan.functions)
        return self.read(self.write(Plan(self._nearest(plan.steps), tuple(f for f in own if f[1]))))

    def _nearest(self, steps: Iterable[str]) -> tuple[str, ...]:
        """A pass that this version lacks is left out."""
        return tuple(found for step in steps for found in [self._like(step)] if found)

    def _like(self, step: str) -> str:
        if step in self.known:
            return step
        name, _, parameters = step.partition("<")
        wanted = set(parameters.rstrip(">").split(";"))
        like = [known for known in self.vocabulary if known.partition("<")[0] == name]
        return max(like, key=lambda k: len(wanted & set(k.partition("<")[2].rstrip(">").split(";"))), default="")


class _State:
    """Where a prefix stands: the steps of the module, then of the functions named so far."""

    def __init__(self, grammar: Pipelines) -> None:
        self.grammar = grammar
        self.steps: list[str] = []
        self.groups: list[tuple[str, list[str]]] | None = None
        self.count = 0

    def push(self, piece: str) -> None:
        if piece == OWN and self.groups is None:
            self.groups = []
        elif piece.startswith("@") and self.groups is not None and piece in self._names():
            self.groups.append((piece, []))
        elif piece in self._passes():
            (self.steps if self.groups is None else self.groups[-1][1]).append(piece)
            self.count += 1
        else:
            raise ValueError(f"{piece!r} cannot stand here: unknown, in the wrong place, or one too many")

    def following(self) -> Iterator[str]:
        if self.groups is None or (self.groups and self.groups[-1][1]):
            yield END
        yield from self._passes()
        if self.groups is not None:
            yield from self._names()
        elif self.count < self.grammar.max_steps and self.grammar.functions:
            yield OWN

    def _passes(self) -> Collection[str]:
        if self.count >= self.grammar.max_steps or self.groups == []:
            return ()
        return self.grammar.known if self.groups is None else self.grammar.local

    def _names(self) -> Collection[str]:
        """A function that is named must get a pass: there must be room for it, and the one before must have its own."""
        names, groups = self.grammar.functions, self.groups or []
        if self.count >= self.grammar.max_steps or (groups and not groups[-1][1]):
            return ()
        return names[bisect_right(names, groups[-1][0]) :] if groups else names

    def plan(self) -> Plan:
        if self.groups is not None and not (self.groups and self.groups[-1][1]):
            raise ValueError("a function is named without passes, or none is named")
        return Plan(tuple(self.steps), tuple((name[1:], tuple(steps)) for name, steps in self.groups or ()))
