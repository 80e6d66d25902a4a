"""Sparse matrices of SciPy: how many elements they store, and what working with them takes.

Measured once (SciPy 1.17, one thread of an AMD EPYC, Zen 4). What elimination fills in is that of grids of the plane,
which most such matrices are of.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from forerun.tasks._arrays import Array, Many, Named, Sparse, dims, length_of, shape_of
from forerun.tasks._expressions import Expressions

_STORED, _COORDINATES = 12.0, 24.0
"""Bytes of a number with its place in the row, and of one with both places, while these are made."""
_MADE = frozenset(f"{kind}_{what}" for kind in "csr csc coo lil dok bsr dia".split() for what in ("matrix", "array"))
_ITSELF = frozenset("tocsr tocsc tocoo tolil todok transpose copy asformat conj conjugate astype".split())
_ROUNDS = 100.0
"""Of a method that goes on until it is near enough, where nothing says more."""
_ITERATIVE: Mapping[str, float] = {
    "cg": 1.0, "cgs": 2.0, "bicg": 2.0, "bicgstab": 2.0, "gmres": 1.0, "minres": 1.0, "lsqr": 2.0, "lsmr": 2.0,
    "eigsh": 1.5, "eigs": 2.0, "svds": 2.0, "lobpcg": 2.0,
}  # fmt: skip
"""Products with the matrix in a round."""
_MULTIPLY_NS, _MAKE_NS, _CELL_NS, _SQUARE_NS = 1.1, 12.0, 57.0, 7.3
"""For each that is stored: of a product with a vector, of bringing them into order; for each that is not, where all
places are shuffled to draw some; of a product with another such matrix."""


_NARROW, _FILLED, _SOLVED_NS = 3.0, 5.5, 300.0
"""Stored in a row, at most, of what elimination does not fill in; what it fills in otherwise, for each row and doubling
of rows, and what that takes."""
_PATHS: Mapping[str, float] = {"dijkstra": 25.0, "shortest_path": 25.0, "bellman_ford": 200.0, "johnson": 30.0}
"""Nanoseconds from one node, for each that is stored."""
_ONCE: Mapping[str, float] = {
    "connected_components": 12.0, "minimum_spanning_tree": 115.0, "breadth_first_order": 8.0, "depth_first_order": 8.0,
    "breadth_first_tree": 20.0, "reverse_cuthill_mckee": 20.0, "laplacian": 30.0, "maximum_flow": 500.0,
}  # fmt: skip


class Sparsely(Expressions):
    """Calls of `scipy.sparse`."""

    def _sparse(self, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What a function of the package gives; None of what is none."""
        first = arguments[0] if arguments else None
        if name in ("eye", "identity", "eye_array") and isinstance(first, float):
            return self._stored((first, first), first)
        if name in ("diags", "diags_array", "spdiags"):
            return self._diagonals(arguments, options)
        if name in ("random", "rand", "random_array"):
            sizes = [one for one in (dims(first) or ()) + tuple(arguments[1:]) if isinstance(one, float)]
            share = options.get("density", sizes[2] if len(sizes) > 2 else 0.01)
            if len(sizes) < 2 or not isinstance(share, float):
                return None
            old = "rng" not in options and not isinstance(options.get("random_state"), Named)
            if old and name != "random_array":  # NumPy's old generator shuffles all places
                self._alloc((sizes[0] * sizes[1],), "i", 8.0)
                self._spend(sizes[0] * sizes[1] * _CELL_NS)
            self._alloc((sizes[0] * sizes[1] * share,), "u", 20.0)  # places, before they are in order
            return self._stored((sizes[0], sizes[1]), sizes[0] * sizes[1] * share)
        if name in ("kron", "kronsum") and len(arguments) > 1:
            one, other = arguments[:2]
            if isinstance(one, Sparse) and isinstance(other, Sparse):
                shape = one.shape[0] * other.shape[0], one.shape[1] * other.shape[1]
                return self._stored(shape, one.count * other.count, _COORDINATES)
            return None
        if name in ("vstack", "hstack", "block_diag", "bmat", "block_array"):
            parts = [one for one in _flat(first) if isinstance(one, Sparse)]
            down, across = sum(one.shape[0] for one in parts), sum(one.shape[1] for one in parts)
            shape = (down, across)
            if parts and name in ("vstack", "hstack"):
                shape = (down, parts[0].shape[1]) if name == "vstack" else (parts[0].shape[0], across)
            return self._stored(shape, sum(one.count for one in parts)) if parts else None
        if name in _MADE and first is not None:
            return self._of_parts(first, arguments, options)
        if isinstance(first, Sparse):
            return self._solved(first, name, arguments, options)
        return None

    def _stored(self, shape: tuple[float, float], count: float, each: float = _STORED) -> Sparse:
        """A new one, whose elements take so many bytes each."""
        count = min(count, shape[0] * shape[1])
        held = self._alloc((count * each + shape[0] * 4.0,), "u", 1.0)
        self._spend(count * _MAKE_NS)
        made = Sparse(values={"": held}, shape=shape, count=count)
        self._passing[-1] = made
        return made

    def _diagonals(self, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        data = arguments[0] if arguments else None
        parts = _flat(data)
        shape = dims(options.get("shape", arguments[2] if len(arguments) > 2 else None))
        long = shape[0] if shape and len(shape) > 1 else max((length_of(one) or 0.0 for one in parts), default=0.0)
        if not long and isinstance(data, Array):
            parts, long = [data], length_of(data) or 0.0
        across = shape[1] if shape and len(shape) > 1 else long
        return self._stored((long, across), long * max(len(parts), 1)) if long else None

    def _of_parts(self, first: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """`csr_matrix((data, (rows, columns)), shape=…)`, of a dense one, of another one, or an empty one."""
        asked = dims(options.get("shape", arguments[1] if len(arguments) > 1 else None))
        shape = (asked[0], asked[1]) if asked and len(asked) > 1 else None
        if isinstance(first, Sparse):
            return self._stored(first.shape, first.count)
        if isinstance(first, tuple) and len(first) == 2 and all(isinstance(one, float) for one in first):
            return self._stored((first[0], first[1]), 0.0)
        if isinstance(first, tuple) and first and (count := length_of(first[0])) is not None and len(first) < 4:
            return self._stored(shape or (count, count), count)
        dense = shape_of(first)
        return self._stored((dense[0], dense[1]), math.prod(dense) / 10) if dense and len(dense) == 2 else None

    def _with_sparse(self, name: str, left: Any, right: Any) -> Any:
        """An operator between a sparse matrix and something else."""
        own, other = (left, right) if isinstance(left, Sparse) else (right, left)
        if isinstance(other, Sparse):
            if name in ("MatMult", "Mult"):
                products, cells = left.count * right.count / max(left.shape[1], 1.0), left.shape[0] * right.shape[1]
                self._spend(products * _SQUARE_NS)
                return self._stored((left.shape[0], right.shape[1]), -cells * math.expm1(-products / max(cells, 1.0)))
            count = max(own.count, other.count) + min(own.count, other.count) / 2
            return self._stored(own.shape, count, _STORED * (own.count + other.count) / max(count, 1.0))
        shape = shape_of(other)
        if not shape:
            return self._stored(own.shape, own.count)
        if name in ("MatMult", "Mult"):
            across = shape[1] if len(shape) > 1 else 1.0
            self._spend(own.count * across * _MULTIPLY_NS)
            return self._alloc((own.shape[0], *shape[1:]), "f", 8.0)
        return self._alloc(own.shape, "f", 8.0)

    def _of_sparse(self, own: Sparse, name: str, arguments: Sequence[Any]) -> Any:
        """What a method of one gives."""
        if name in _ITSELF:
            made = self._stored(own.shape, own.count)
            if name == "transpose":
                made.shape = own.shape[1], own.shape[0]
            return made
        if name in ("toarray", "todense"):
            return self._alloc(own.shape, "f", 8.0)
        if name in ("dot", "matvec", "multiply") and arguments:
            return self._with_sparse("MatMult" if name != "multiply" else "Add", own, arguments[0])
        if name in ("sum", "mean", "diagonal", "max", "min"):
            self._spend(own.count)
            return self._alloc((own.shape[0],), "f", 8.0)
        return None

    def _solved(self, own: Sparse, name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """Systems of equations, eigenvectors, paths."""
        n = own.shape[0]
        if name in ("spsolve", "splu", "factorized", "spilu", "inv"):
            narrow = own.count <= _NARROW * n
            filled = own.count * 2 if narrow else n * math.log2(max(n, 2.0)) * _FILLED
            self._alloc((filled * 16.0,), "u", 1.0)
            self._spend(own.count * 100.0 if narrow else n**1.25 * _SOLVED_NS)
        elif name in _ITERATIVE:
            several = (
                arguments[1] if name in ("eigsh", "eigs", "svds") and len(arguments) > 1 else options.get("k", 6.0)
            )
            basis = max(2.0 * several + 1, 20.0) if isinstance(several, float) else 20.0
            most = options.get("maxiter")
            rounds = min(most if isinstance(most, float) else math.inf, max(_ROUNDS, 1.5 * math.sqrt(n)))
            self._alloc((n, basis if name.startswith(("eig", "sv")) else 6.0), "f", 8.0)
            each = _ITERATIVE[name] * own.count * _MULTIPLY_NS + 10.0 * n + 3e4
            self._spend(rounds * each)
        elif name in _PATHS or name == "floyd_warshall":
            one = isinstance(options.get("indices"), float)
            each = _PATHS.get(name, 0.0) * own.count * (1.0 if one else n)
            self._spend(each or 1.5 * n**3)
            return self._alloc((n,) if one else (n, n), "f", 8.0)
        elif name in _ONCE:
            self._spend(own.count * _ONCE[name])
            if name in ("minimum_spanning_tree", "breadth_first_tree", "laplacian"):
                return self._stored(own.shape, own.count if name == "laplacian" else n)
            labels = self._alloc((n,), "i", 4.0)
            return (None, labels) if name == "connected_components" else labels
        else:
            return None
        vector = self._alloc((n,), "f", 8.0)
        return (vector, 0.0) if name in _ITERATIVE and not name.startswith(("eig", "sv")) else vector


def _flat(value: Any) -> list[Any]:
    if isinstance(value, Many):
        return [value.one] * int(min(value.count, 1000.0))
    if isinstance(value, tuple):
        return [each for one in value for each in (_flat(one) if isinstance(one, tuple) else [one])]
    return []
