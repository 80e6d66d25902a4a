"""Boosted trees as plain arrays: what was learned with scikit-learn predicts without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.float64]

_STEPS = {"left": "to_left", "right": "to_right"}
"""How arrays are kept that tell places: by how far behind each node they are."""


@dataclass(frozen=True, slots=True)
class Forest:
    """A sum of T trees with N nodes in all. A node is a leaf where `left` is the node itself.

    A row goes left where its feature is at most the threshold; where that is NaN, as `missing_left` says. Thresholds
    and values are singles: they lie between counts, and differ by far less than trees err.
    """

    base: NDArray[np.float64]
    """`[1]`: what the trees are added to."""
    roots: NDArray[np.int32]
    """`[T]`."""
    feature: NDArray[np.uint16]
    """`[N]`, as are those below."""
    threshold: NDArray[np.float32]
    missing_left: NDArray[np.bool_]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float32]

    @classmethod
    def of(cls, model: Any) -> Forest:
        """That of a HistGradientBoostingRegressor without categorical features."""
        trees = [predictors[0].nodes for predictors in model._predictors]
        sizes = np.array([len(nodes) for nodes in trees])
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
        nodes, offset = np.concatenate(trees), np.repeat(starts, sizes)
        place, leaf = np.arange(len(nodes), dtype=np.int32), nodes["is_leaf"].astype(bool)
        return cls(
            np.ravel(model._baseline_prediction).astype(np.float64),
            starts,
            np.where(leaf, 0, nodes["feature_idx"]).astype(np.uint16),
            np.where(leaf, 0.0, nodes["num_threshold"]).astype(np.float32),
            nodes["missing_go_to_left"].astype(bool),
            np.where(leaf, place, nodes["left"] + offset).astype(np.int32),
            np.where(leaf, place, nodes["right"] + offset).astype(np.int32),
            np.where(leaf, nodes["value"], 0.0).astype(np.float32),
        )

    @classmethod
    def mean(cls, *forests: Forest) -> Forest:
        """Of several that read the same features."""
        starts = np.cumsum([0, *(len(one.left) for one in forests)]).tolist()
        found = {name: np.concatenate([getattr(one, name) for one in forests]) for name in cls.__slots__}
        for name in ("roots", "left", "right"):
            moved = [getattr(one, name) + np.int32(start) for one, start in zip(forests, starts, strict=False)]
            found[name] = np.concatenate(moved)
        found["base"] = np.mean([one.base for one in forests], axis=0)
        found["value"] /= np.float32(len(forests))
        return cls(**found)

    def beside(self, other: Forest, share: float) -> Forest:
        """The mean of two, of which either may read features behind those that the other one reads, and the other one
        has a share of."""
        found = {name: (getattr(self, name), getattr(other, name)) for name in self.__slots__}
        own, others = np.float32(1 - share), np.float32(share)
        found["base"] = own * found["base"][0] + others * found["base"][1], np.zeros(0)
        found["value"] = own * found["value"][0], others * found["value"][1]
        for name in ("roots", "left", "right"):
            found[name] = found[name][0], found[name][1] + np.int32(len(self.left))
        return Forest(**{name: np.concatenate(both) for name, both in found.items()})

    def predict(self, x: Table) -> NDArray[np.float64]:
        """`[rows]` of a table `[rows, features]`."""
        return self.of_leaves(self.leaves(x))

    def of_leaves(self, leaves: NDArray[np.int32]) -> NDArray[np.float64]:
        """`[rows]` of rows in leaves `[rows, T]`."""
        return np.asarray(self.base[0] + self.value[leaves].sum(1, dtype=np.float64))

    def leaves(self, x: Table) -> NDArray[np.int32]:
        """`[rows, T]`: the leaf of each tree that a row of a table `[rows, features]` is in."""
        place = np.broadcast_to(self.roots, (len(x), len(self.roots)))
        rows = np.arange(len(x))[:, None]
        while True:
            cells = x[rows, self.feature[place]]
            goes_left = np.where(np.isnan(cells), self.missing_left[place], cells <= self.threshold[place])
            following = np.where(goes_left, self.left[place], self.right[place])
            if np.array_equal(following, place):
                return place
            place = following

    def arrays(self) -> dict[str, NDArray[Any]]:
        """By name; steps to the nodes below take a byte each where trees are small."""
        place, kept = np.arange(len(self.left)), asdict(self)
        for name, kept_as in _STEPS.items():
            steps = kept.pop(name) - place
            kept[kept_as] = steps.astype(np.min_scalar_type(steps.max(initial=0)))
        return kept

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Forest:
        """From what `arrays` gave. Raises KeyError."""
        place = np.arange(len(arrays["feature"]), dtype=np.int32)
        below: dict[str, Any] = {name: arrays[kept_as] + place for name, kept_as in _STEPS.items()}
        return cls(**below, **{name: arrays[name] for name in cls.__slots__ if name not in below})
