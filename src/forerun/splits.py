"""Rows to learn from, to choose with and to be judged by, so that nothing that is judged was nearly seen before.

Near-duplicates are found by MinHash (Broder 1997) with banding (Leskovec, Rajaraman and Ullman 2014, chapter 3):
shingles of five tokens, numbers and names as they are. Candidates are compared by the exact Jaccard index of their
shingles; at .8 fewer than one pair in ten thousand is no candidate.
"""

from __future__ import annotations

import hashlib
import math
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from forerun.errors import InputError, UsageError
from forerun.prompts import parts
from forerun.rows import Row

By = Literal["random", "group", "family", "device"]
Hashes = NDArray[np.uint64]

TRAIN, VALIDATION = 0.8, 0.1
"""Shares; what is left is the test."""
SIMILAR = 0.8
"""The Jaccard index from which on two programs are near-duplicates."""

_FEWEST = 3
"""Clusters or devices: one for each part."""
_ENOUGH = 10
"""Clusters of a part, from which on hashes alone deal them: of 200 and more they always give as many."""
_LARGE = 3.0
"""Times the mean of all clusters, from which on one is large (`_too_large`)."""

_ENDS = {"train": (0.0, TRAIN), "validation": (TRAIN, TRAIN + VALIDATION), "test": (TRAIN + VALIDATION, math.inf)}
_SHINGLE, _BANDS, _DEEP = 5, 25, 5
_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD64 = 1 << 64


class OfFamilies(Protocol):
    """Something that networks of several families may share."""

    @property
    def families(self) -> Collection[str]:
        """All of them."""


F = TypeVar("F", bound=OfFamilies)


def by_families(found: Iterable[F], validate: Collection[str]) -> tuple[list[F], list[F]]:
    """What no family of `validate` uses, to learn from, and what only they use; what both use is in neither.

    Raises InputError where one of the two is empty.
    """
    every, named = list(found), set(validate)
    train = [each for each in every if not named & set(each.families)]
    held = [each for each in every if each.families and set(each.families) <= named]
    if not train or not held:
        why = f"{len(train)} programs to learn from, {len(held)} to validate with"
        families = {family for each in every for family in each.families}
        known = ", ".join(sorted(families)) or "none"
        if strange := sorted(named - families):
            raise InputError(f"no program is of the family {strange[0]!r}", "nothing is held out", f"families: {known}")
        raise InputError("too little to learn from", why, f"validate with some of their families, not all: {known}")
    return train, held


@dataclass(frozen=True)
class Split:
    """Three parts of one set of rows, each in the order that the rows were given."""

    train: list[Row]
    validation: list[Row]
    test: list[Row]


def split(rows: Sequence[Row], by: By = "group", seed: int = 0, *, similar: float = SIMILAR) -> Split:
    """80% to learn from, 10% to choose with, 10% to be judged by; near-duplicates, and groups, never cross.

    By `group` or `random` (each program for itself) a cluster goes where the hash of its smallest key and the seed
    says: rows that come later move nothing but what they join. Only where a part would have less than its share, and
    fewer than ten clusters, it gets those whose hashes are closest to it, of parts that have more. What is so large
    that holding it out would leave too little to learn from is learned from, wherever its hash lies: a cluster of a
    fifth of the rows, which is what both other parts should have, and of three times the mean of all clusters, since
    of a few each has a fifth; and, however few they are, one of the four fifths that are to be learned from. By
    `family` groups stay apart that share programs, as those of one compiler do: each goes where its own hash says, if
    it is not so large, and what is held out and near to what is learned from (of the test, also to the validation) is
    left out. By `device` a tenth of the devices is the test and a tenth (at least one each) the validation, whatever
    the programs. `similar` above 1 lets near-duplicates cross, for architectures that all look alike; the same text
    never does. Raises UsageError for another `by`, for a `similar` that is not above 0, and for fewer than three
    devices or clusters.
    """
    return splits(rows, by, (seed,), similar=similar)[0]


def splits(rows: Sequence[Row], by: By, seeds: Sequence[int], *, similar: float = SIMILAR) -> list[Split]:
    """A `split` for each seed; near-duplicates are looked for once."""
    if not similar > 0:
        why = "it is the share of two programs that is the same, above 0"
        raise UsageError(f"similar={similar:g}", why, f"leave it out: it is {SIMILAR:g}, or set it above 1")
    if by == "device":
        devices = [_devices([row.device for row in rows], seed) for seed in seeds]
        return [_dealt(rows, [where[row.device] for row in rows]) for where in devices]
    if by == "family":
        return _families(rows, seeds, similar)
    if by not in ("random", "group"):
        raise UsageError(f"no split is called {by!r}", "splits: random, group, family, device", "name one of them")
    keys = _clustered(rows, by, similar)
    sizes = Counter(keys)
    placed = [_places(sizes, seed) for seed in seeds]
    return [_dealt(rows, [where[key] for key in keys]) for where in placed]


def _families(rows: Sequence[Row], seeds: Sequence[int], similar: float) -> list[Split]:
    """Each group for itself; what would cross is left out of what is held. Raises UsageError for fewer than three."""
    keys = groups_of(rows)
    if rows and (left := len(set(keys))) < _FEWEST:
        why = f"all rows are of {left} group{'s' * (left != 1)}"
        raise UsageError("nothing can be held out", why, f"give rows of at least {_FEWEST} groups")
    near, sizes = near_duplicates([parts(row.prompt).text for row in rows], similar), Counter(keys)
    found = []
    for seed in seeds:
        of_key = _places(sizes, seed)
        where = [of_key[key] for key in keys]
        seen = {name: {n for n, own in zip(near, where, strict=True) if own == name} for name in _ENDS}
        before = {"train": set(), "validation": seen["train"], "test": seen["train"] | seen["validation"]}
        kept = [i for i, (n, own) in enumerate(zip(near, where, strict=True)) if n not in before[own]]
        found.append(_dealt([rows[i] for i in kept], [where[i] for i in kept]))
    return found


def place(key: str, seed: int) -> str:
    """`train`, `validation` or `test`: always the same for a key and a seed."""
    share = _share(key, seed)
    return next(name for name, (_, end) in _ENDS.items() if share < end)


def _share(key: str, seed: int) -> float:
    """From 0 to 1, spread evenly."""
    return int.from_bytes(_digest(f"{seed}\0{key}")[:8], "big") / _WORD64


def _places(sizes: Mapping[str, int], seed: int) -> Mapping[str, str]:
    """Where each cluster of so many rows goes: one that is too large to be held out is learned from; a part that would
    have too few gets the closest ones that another part can spare."""
    large = _too_large(sizes)
    found = {key: "train" if key in large else place(key, seed) for key in sizes}
    least = _least(len(sizes))
    for name in ("test", "train", "validation"):  # of those that are all in train the last ones, in their order
        for _ in range(least[name] - Counter(found.values())[name]):
            counts = Counter(found.values())
            if spare := [key for key, where in found.items() if counts[where] > least[where] and key not in large]:
                found[_closest(spare, name, seed)] = name
    return found


def _too_large(sizes: Mapping[str, int]) -> Collection[str]:
    """The clusters that are learned from for their size, as `split` says; others are left for both other parts: of
    three clusters two, of more at least half."""
    rows = sum(sizes.values())
    share = min(TRAIN, max(1 - TRAIN, _LARGE / max(len(sizes), 1)))
    return {key for key, size in sizes.items() if size >= share * rows}


def _least(clusters: int) -> Mapping[str, int]:
    """Clusters that each part has at least."""
    tenth = max(1, round(clusters * VALIDATION))
    shares = {"train": clusters - 2 * tenth, "validation": tenth, "test": tenth}
    return {name: min(share, _ENOUGH) for name, share in shares.items()}


def _closest(keys: Iterable[str], name: str, seed: int) -> str:
    """The one whose hash lies closest to the share of a part."""
    low, high = _ENDS[name]
    shares = {key: _share(key, seed) for key in keys}
    return min(shares, key=lambda key: (max(low - shares[key], shares[key] - high), key))


def groups_of(rows: Iterable[Row]) -> list[str]:
    """Each row's group; without one its program's text is one."""
    return [row.group or _alone(parts(row.prompt).text) for row in rows]


def _alone(text: str) -> str:
    return f"\0{_digest(text).hex()}"


def near_duplicates(texts: Sequence[str], similar: float = SIMILAR) -> list[int]:
    """For each text the place of the first one of its cluster: those it is linked to by pairs of near-duplicates."""
    joined = _Union(len(texts))
    sets = [_shingles(text) for text in texts] if similar <= 1 else []
    first: dict[str | bytes, int] = {}
    known: Sequence[str | bytes] = [found.tobytes() for found in sets] or texts
    for i, content in enumerate(known):
        joined.join(first.setdefault(content, i), i)
    for members in _buckets({i: sets[i] for i in first.values()} if sets else {}):
        _link(members, sets, similar, joined)
    return [joined.root(i) for i in range(len(texts))]


def _clustered(rows: Sequence[Row], by: By, similar: float) -> list[str]:
    """The smallest key of each row's cluster: of its group, or of its program's text.

    Raises UsageError for fewer than three clusters; no rows have none.
    """
    texts = [parts(row.prompt).text for row in rows]
    keys = groups_of(rows) if by == "group" else list(map(_alone, texts))
    near = near_duplicates(texts, similar)
    found = _joined(keys, near)
    if rows and (left := len(set(found))) < _FEWEST:
        same = len(set(_joined(keys, near_duplicates(texts, math.inf))))
        raise _too_few(by, len(set(keys)), left, same, len(set(near)))
    return found


def _joined(keys: Sequence[str], near: Sequence[int]) -> list[str]:
    """The smallest key of each row's cluster: of the rows that share a key or are near each other."""
    joined = _Union(len(keys))
    first: dict[str, int] = {}
    for i, key in enumerate(keys):
        joined.join(near[i], i)
        joined.join(first.setdefault(key, i), i)
    smallest: dict[int, str] = {}
    for i, key in enumerate(keys):
        root = joined.root(i)
        smallest[root] = min(smallest.get(root, key), key)
    return [smallest[joined.root(i)] for i in range(len(keys))]


def _too_few(by: By, alone: int, joined: int, same: int, programs: int) -> UsageError:
    """Of so many groups or programs, which near-duplicates join to fewer clusters, or the same text alone does; and of
    programs that differ."""
    noun = "group" if by == "group" else "distinct program"
    why = f"all rows are of {alone} {noun}{'s' * (alone != 1)}"
    todo, other = f"give rows of at least {_FEWEST} {noun}s", ""
    if by == "group" and programs >= _FEWEST:
        other = ", or rows without groups: then each distinct program is one"
    if alone >= _FEWEST and same < _FEWEST:
        why = f"of {alone} {noun}s, those that hold the same text are one: that leaves {same}"
        todo = f"give rows of at least {_FEWEST} {noun}s whose texts are in no other"
    elif alone >= _FEWEST:
        why = f"of {alone} {noun}s, those that hold near-duplicates of each other are one: that leaves {joined}"
        todo = "give programs that differ more, or set similar above 1 (--similar 2)"
        other = ": then only the same text never crosses"
    return UsageError("nothing can be held out", why, todo + other)


def _devices(names: Iterable[str], seed: int) -> Mapping[str, str]:
    """Where each device goes: in the order of hashes, so that there is always one to hold out."""
    ordered = sorted(set(names), key=lambda name: _digest(f"{seed}\0{name}"))
    if len(ordered) < _FEWEST:
        why = f"{len(ordered)} of them, at least {_FEWEST} are needed"
        raise UsageError("too few devices to hold one out", why, "split by group")
    tenth = max(1, round(len(ordered) * (1 - TRAIN - VALIDATION)))
    parts_of = ["test"] * tenth + ["validation"] * tenth + ["train"] * len(ordered)
    return dict(zip(ordered, parts_of, strict=False))


def _dealt(rows: Sequence[Row], places: Sequence[str]) -> Split:
    dealt = defaultdict(list)
    for row, where in zip(rows, places, strict=True):
        dealt[where].append(row)
    return Split(dealt["train"], dealt["validation"], dealt["test"])


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


class _Union:
    """Union-find; a root is the smallest place of its set."""

    def __init__(self, count: int) -> None:
        self._parents = list(range(count))

    def root(self, place: int) -> int:
        while self._parents[place] != place:
            self._parents[place] = place = self._parents[self._parents[place]]
        return place

    def join(self, a: int, b: int) -> None:
        a, b = sorted((self.root(a), self.root(b)))
        self._parents[b] = a


def _mixed(values: Hashes) -> Hashes:
    """The finaliser of MurmurHash3."""
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return values ^ (values >> np.uint64(33))


def _shingles(text: str) -> Hashes:
    """The distinct runs of five tokens, hashed, in order; a shorter text is one run."""
    tokens = [zlib.crc32(token.encode("utf-8", "replace")) + 1 for token in _TOKEN.findall(text)]
    padded = np.array(tokens + [0] * max(1, _SHINGLE - len(tokens)) if len(tokens) < _SHINGLE else tokens, np.uint64)
    count = len(padded) - _SHINGLE + 1
    hashes = np.zeros(count, np.uint64)
    for i in range(_SHINGLE):
        hashes = _mixed(hashes + padded[i : i + count])
    return np.unique(hashes)


def _signature(shingles: Hashes) -> Hashes:
    """The smallest shingle under each of the hash functions (multiply-shift, Dietzfelbinger et al. 1997)."""
    draw = np.random.default_rng(0)
    factors, offsets = draw.integers(1, 1 << 63, (2, _BANDS * _DEEP, 1), dtype=np.uint64)
    smallest = np.full(_BANDS * _DEEP, _WORD64 - 1, np.uint64)
    for start in range(0, len(shingles), 4096):
        some = (factors * np.uint64(2) + np.uint64(1)) * shingles[None, start : start + 4096] + offsets
        smallest = np.minimum(smallest, (some >> np.uint64(32)).min(axis=1))
    return smallest


def _buckets(sets: Mapping[int, Hashes]) -> Iterator[list[int]]:
    """Those that agree in a whole band: the candidates."""
    found: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    for i, shingles in sets.items():
        for band, rows in enumerate(_signature(shingles).reshape(_BANDS, _DEEP)):
            found[band, rows.tobytes()].append(i)
    return (members for members in found.values() if len(members) > 1)


def _link(members: Sequence[int], sets: Sequence[Hashes], similar: float, joined: _Union) -> None:
    """Joins the pairs that are similar enough; stops when all are one."""
    for at, a in enumerate(members):
        if len({joined.root(member) for member in members[at:]}) == 1:
            return
        for b in members[at + 1 :]:
            if joined.root(a) != joined.root(b) and _jaccard(sets[a], sets[b]) >= similar:
                joined.join(a, b)


def _jaccard(a: Hashes, b: Hashes) -> float:
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / (len(a) + len(b) - shared)
