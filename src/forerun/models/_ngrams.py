"""TF-IDF of character n-grams, hashed: no dictionary to keep, and ten million n-grams a second."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forerun.models._regression import Regression, missing
from forerun.prompts import Parts

Hashes = NDArray[np.int64]

_BITS, _HEAD_BITS = 18, 12
"""A program's n-grams fall into 262,144 features, the head's words into 4,096."""
_SPREAD = 0x9E3779B97F4A7C15
"""2^64 over the golden ratio (Knuth, volume 3, section 6.4)."""
READ = 16_384
"""Characters of a program that are read."""


class TfIdf:
    """Rows of length 1 for programs, beside rows of length 1 for the words of their heads.

    N-grams of 3 to 5 bytes; 1 + ln(count), times ln((1 + n) / (1 + documents)) + 1 (Salton and Buckley 1988), those of
    one document left out; a word of every head says nothing and weighs nothing. Raises ToolMissing.
    """

    def __init__(self, found: Sequence[Parts]) -> None:
        least = 2 if len(found) >= 100 else 1
        self._programs = _idf(_counts(map(_ngrams, found), _BITS), 1.0, least)
        self._heads = _idf(_counts(map(_words, found), _HEAD_BITS), 0.0, 1)

    def matrix(self, found: Sequence[Parts]) -> Any:
        """Sparse, `[found, features]`."""
        from scipy.sparse import hstack

        programs = _weighed(_counts(map(_ngrams, found), _BITS), self._programs)
        heads = _weighed(_counts(map(_words, found), _HEAD_BITS), self._heads)
        return hstack([programs, heads], format="csr", dtype=np.float32)


def _ngrams(found: Parts) -> Hashes:
    """The features of each n-gram; three line ends in front, so that no text is without."""
    data = np.frombuffer(b"\n\n\n" + found.text[:READ].encode("utf-8", "replace"), dtype=np.uint8).astype(np.uint64)
    packed, found_ngrams = data, []
    for size in range(2, 6):
        packed = (packed[: len(data) - size + 1] << np.uint64(8)) | data[size - 1 :]
        if size >= 3:
            found_ngrams.append(packed + np.uint64(size << 40))
    mixed = np.concatenate(found_ngrams) * np.uint64(_SPREAD)
    return (mixed >> np.uint64(64 - _BITS)).astype(np.int64)


def _words(found: Parts) -> Hashes:
    words = [f"{name} {word}" for name, value in found.head.items() for word in value.split()]
    return np.array([zlib.crc32(word.encode()) >> (32 - _HEAD_BITS) for word in words], dtype=np.int64)


def _counts(documents: Iterable[Hashes], bits: int) -> Any:
    """Sparse counts, `[documents, 2 ** bits]`."""
    try:
        from scipy.sparse import csr_matrix
    except ImportError as error:
        raise missing(error, "TF-IDF") from error
    indices, counts, ends = [], [], [0]
    for hashes in documents:
        kept, count = np.unique(hashes, return_counts=True)
        indices.append(kept.astype(np.int32))
        counts.append(count.astype(np.float32))
        ends.append(ends[-1] + len(kept))
    data = (np.concatenate(counts), np.concatenate(indices), np.array(ends))
    return csr_matrix(data, shape=(len(indices), 1 << bits))


def _idf(counts: Any, base: float, least: int) -> NDArray[np.float32]:
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    weights = np.log((1 + counts.shape[0]) / (1 + documents)) + base
    return np.where(documents >= least, weights, 0.0).astype(np.float32)


def _weighed(counts: Any, idf: NDArray[np.float32]) -> Any:
    """TF-IDF with rows of length 1; a row of nothing known stays zero."""
    from sklearn.preprocessing import normalize

    counts.data = (1 + np.log(counts.data)) * idf[counts.indices]
    counts.eliminate_zeros()
    return normalize(counts, copy=False)


class NgramRegression(Regression):
    """A regression on TF-IDF of character n-grams."""

    def _learn(self, found: Sequence[Parts]) -> Any:
        self._tfidf = TfIdf(found)
        return self._features(found)

    def _features(self, found: Sequence[Parts]) -> Any:
        return self._tfidf.matrix(found)
