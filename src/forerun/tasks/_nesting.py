"""How deep loops, and blocks of any kind, stand in each other: by braces, by parentheses, by indentation.

Loops weigh the logarithm of how often they go round, so that the weight around a place says how often it is passed.
"""

from __future__ import annotations

from typing import ClassVar

_HEADS = frozenset("for while until".split())
_ALWAYS = frozenset("def class module begin function repeat".split())
"""What never stands behind a statement."""
_OPENING = _ALWAYS | {"if", "unless", "case"}
_LOOPS = _HEADS | {"repeat"}
"""Words of loops that open a block themselves."""
_BRANCHES = frozenset("elsif when in".split())
_STARTS = frozenset(("", ";", "{", "do", "then", "else", "begin", "repeat"))
"""Behind these a statement begins."""


class Nest:
    """Blocks that are open, and the loops that each of them stands for."""

    def __init__(self) -> None:
        self.loops = self.depth = self.loop_depth = 0
        self.last = ""
        """The word or mark before, line ends aside."""
        self.weight = 0.0
        """Of all loops around here."""
        self.heaviest = 0.0
        self._levels: list[tuple[int, float]] = []
        self._around = 0

    @property
    def levels(self) -> int:
        """How many blocks are open."""
        return len(self._levels)

    @property
    def passed(self) -> float:
        """The weight of all loops around what stands here, also of those that hold one statement."""
        return self.weight

    def word(self, text: str, loop: bool, weight: float = 0.0) -> None:
        """The next word; `loop` where it names one, of a weight."""
        self.last = text

    def mark(self, text: str) -> None:
        """The next bracket, semicolon, number (as `0`) or, for indentation, line end with the blanks behind it."""
        self.last = text

    def through(self, weight: float) -> None:
        """Something here is gone through without a loop of its own."""
        self.heaviest = max(self.heaviest, self.passed + weight)

    def _open(self, loops: int, weight: float = 0.0) -> None:
        self._levels.append((0, 0.0))
        self._add(loops, weight)
        self.depth = max(self.depth, len(self._levels))

    def _add(self, loops: int, weight: float) -> None:
        """Loops to the innermost block."""
        own, heavy = self._levels[-1]
        self._levels[-1] = own + loops, heavy + weight
        self._around += loops
        self.weight += weight
        self.loop_depth = max(self.loop_depth, self._around)
        self.heaviest = max(self.heaviest, self.weight)

    def _close(self) -> None:
        if self._levels:
            self._leave(*self._levels.pop())

    def _leave(self, loops: int, weight: float) -> None:
        self._around -= loops
        self.weight = max(self.weight - weight, 0.0) if self._around else 0.0


class Braces(Nest):
    """Blocks in braces; a loop holds the block or the statement behind it."""

    statements: ClassVar[bool] = True
    """Whether a loop may hold a statement without braces."""

    def __init__(self) -> None:
        super().__init__()
        self._pending, self._heavy = 0, 0.0
        self._done = False
        self._parens = [0]
        self._doing: list[bool] = []

    @property
    def passed(self) -> float:
        return self.weight + self._heavy

    def word(self, text: str, loop: bool, weight: float = 0.0) -> None:
        """A `while` right behind the block of a `do` is the same loop."""
        if loop and not (text == "while" and self._done):
            self.loops += 1
            self._pending += 1
            self._heavy += weight
            self.loop_depth = max(self.loop_depth, self._around + self._pending)
            self.heaviest = max(self.heaviest, self.weight + self._heavy)
        self._done = False
        self.last = text

    def mark(self, text: str) -> None:
        """Semicolons between parentheses end nothing."""
        self._done = False
        if text == "{":
            self._begin()
        elif text == "}" and self._levels:
            self._end()
        elif text == "(":
            self._parens[-1] += 1
        elif text == ")":
            self._parens[-1] = max(0, self._parens[-1] - 1)
        elif text == ";" and self.statements and not self._parens[-1]:
            self._pending, self._heavy = 0, 0.0
        self.last = text

    def _begin(self) -> None:
        self._doing.append(self.last == "do")
        self._parens.append(0)
        self._open(self._pending, self._heavy)
        self._pending, self._heavy = 0, 0.0

    def _end(self) -> None:
        self._close()
        self._parens.pop()
        self._pending, self._heavy = 0, 0.0
        self._done = self._doing.pop()


class Blocks(Braces):
    """Go and Rust: the semicolons in front of a loop's block belong to its head."""

    statements: ClassVar[bool] = False


class Parens(Nest):
    """Lisp: a loop is a form whose head says so, or a `let` with a name."""

    def word(self, text: str, loop: bool, weight: float = 0.0) -> None:
        """Only the first word of a form is its head."""
        if (loop and self.last == "(") or self.last == "let":
            self.loops += 1
            self._close()
            self._open(1, weight)
        self.last = text

    def mark(self, text: str) -> None:
        """Parentheses open and close forms."""
        if text == "(":
            self._open(0)
        elif text == ")":
            self._close()
        self.last = text


class Indents(Nest):
    """Lines that are indented stand in the line above that is less so."""

    def __init__(self) -> None:
        super().__init__()
        self._indents: list[int] = []
        self._new: int | None = 0

    def word(self, text: str, loop: bool, weight: float = 0.0) -> None:
        """A loop holds the rest of its line and the lines inside it."""
        self._begin()
        if loop:
            self.loops += 1
            self._add(1, weight)
        self.last = text

    def mark(self, text: str) -> None:
        """A line's indentation counts once something stands on it."""
        if text[0] == "\n":
            self._new = len(text.expandtabs(8)) - 1
        else:
            self._begin()
            self.last = text

    def _begin(self) -> None:
        if self._new is None:
            return
        while self._indents and self._indents[-1] >= self._new:
            self._indents.pop()
            self._close()
        self._indents.append(self._new)
        self._levels.append((0, 0.0))
        self.depth = max(self.depth, len(self._levels) - 1)
        self._new = None


class Ends(Indents):
    """Lua: indentation, and within one line the words that open blocks and end them."""

    braces: ClassVar[bool] = False
    """Whether blocks may stand in braces, and words of loops behind a statement."""

    def __init__(self) -> None:
        super().__init__()
        self._opened: list[tuple[int, float]] = []
        """What each block that this line has opened holds of loops."""
        self._pending = (0, 0.0)
        """Loops whose blocks are not open yet."""
        self._head = self._asked = False
        """Whether a `do` belongs to the loop before, and a `then` to what is open."""

    def word(self, text: str, loop: bool, weight: float = 0.0) -> None:
        """A loop holds its block; one whose block has not ended holds the lines inside it."""
        starts = not self.braces or self._new is not None or self.last in _STARTS
        super().word(text, loop, weight)
        if loop and not (starts and text in _LOOPS):
            self._pending = self._pending[0] + 1, self._pending[1] + weight
        elif loop:
            self._opened.append((1, weight))
            self._head = text in _HEADS
        elif text == "do" and self._head:
            self._head = False
        elif text == "do" or (text in _OPENING and (starts or text in _ALWAYS)):
            self._block()
            self._asked = text != "do"
        elif text in _BRANCHES:
            self._asked = True
        elif text == "then" and self.braces:
            if not self._asked:  # behind a block's parameters, or what is assigned
                self._block()
            self._asked = False
        elif text == "end" or (text == "until" and not self.braces):
            self._ended()

    def mark(self, text: str) -> None:
        """What a line has opened and not ended goes on in the lines inside it."""
        super().mark(text)
        if text[0] == "\n":
            self._opened, self._pending, self._head, self._asked = [], (0, 0.0), False, False
        elif self.braces and text == "{":
            self._block()
        elif self.braces and text == "}":
            self._ended()
        elif text == ";":
            self._head = self._asked = False
            self._statement()

    def _block(self) -> None:
        self._opened.append(self._pending)
        self._pending = 0, 0.0

    def _statement(self) -> None:
        """It ends, with the loops that stand behind it."""
        self._less(*self._pending)
        self._pending = 0, 0.0

    def _ended(self) -> None:
        self._statement()
        if self._opened:
            self._less(*self._opened.pop())

    def _less(self, loops: int, weight: float) -> None:
        """Takes loops from the innermost block."""
        if loops and self._levels:
            own, heavy = self._levels[-1]
            self._levels[-1] = own - loops, heavy - weight
            self._leave(loops, weight)


class Mixed(Ends):
    """Ruby."""

    braces: ClassVar[bool] = True
