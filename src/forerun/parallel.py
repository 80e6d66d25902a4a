"""Many independent solves at once: each thread has a worker process and a store connection of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event, local
from typing import TypeVar

from forerun import settings
from forerun.sandbox import Pool
from forerun.store import Store

T = TypeVar("T")
R = TypeVar("R")

Work = Callable[[T, Pool, Store], R]


def each(items: Iterable[T], work: Work[T, R], store: Path, workers: int | None = None) -> Iterator[R]:
    """`work(item, pool, store)` for each item; yields in no order. Closing it waits for the items in hand only.

    As many at once as the setting `workers` says, where none are named.
    """
    place, stop = local(), Event()
    workers = workers or settings.workers()
    pools: list[Pool] = []

    def one(item: T) -> R | None:
        if stop.is_set():
            return None
        if not hasattr(place, "pool"):
            place.pool, place.store = Pool(1), Store(store)
            pools.append(place.pool)
        return work(item, place.pool, place.store)

    waiting: set[Future[R | None]] = set()
    with ThreadPoolExecutor(workers) as threads:
        try:
            for item in items:
                waiting.add(threads.submit(one, item))
                if len(waiting) >= 2 * workers:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    yield from _values(done)
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from _values(done)
        finally:
            stop.set()
            for pool in pools:
                pool.close()


def _values(done: Iterable[Future[R | None]]) -> Iterator[R]:
    for future in done:
        value = future.result()
        if value is not None:
            yield value
