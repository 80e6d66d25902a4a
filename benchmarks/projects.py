"""Whole projects with `CC="forerun cc clang-22 -Oz"`: their own tests, their libraries' sizes, the time of the builds.

    python benchmarks/projects.py
    python benchmarks/projects.py --project zlib --repeats 5 --budget 100
    LUA_TESTS=lua-5.4.4-tests python benchmarks/projects.py --project lua5.4

The package is installed into a virtual environment, as users do it. Each project is built with the plain compiler and
with forerun: first searching, then from the cache, then on other trees with two jobs and from the lock file alone. Wall
times are of `make` without `configure` and `make clean`, plain and warm builds in turn. Before a warm build the server
is ended, as if hours had passed; `resident` is a build that still finds it. Results are kept project by project: one
that is there with the same options is not made again unless it is named.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from _builds import Site, binaries, end_servers, install, members, sizes
from _projects import PROJECTS, Check, Project

from forerun import lock, settings
from forerun.clock import Timing
from forerun.corpora import debian
from forerun.files import write_atomically
from forerun.toolchains.llvm import clang

RESULTS = Path(__file__).parent / "results" / "projects.json"
JOBS = (1, 2)


def main() -> int:
    """0 where every project came out as it should."""
    options = _options()
    work = settings.cache_folder() / "projects"
    launcher = install(work)
    done = {row["project"]: row for row in _known()}
    for project in (p for p in PROJECTS if p.package in (options.project or [q.package for q in PROJECTS])):
        old = done.get(project.package, {})
        if not options.project and (old.get("budget"), old.get("repeats")) == (options.budget, options.repeats):
            continue
        done[project.package] = Run(project, work, launcher, options.compiler, options.budget).row(options.repeats)
        rows = [done[p.package] for p in PROJECTS if p.package in done]
        summary = {"tool": clang.compiler_version(options.compiler)[0], "flags": "-Oz", "projects": rows}
        write_atomically(RESULTS, (json.dumps(summary, indent=1) + "\n").encode())
    wrong = [f"{row['project']}: {what}" for row in done.values() for what in row["wrong"]]
    say("\n".join(wrong) or "all as it should be")
    return int(bool(wrong))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--project", action="append", choices=[p.package for p in PROJECTS], help="only this one")
    parser.add_argument("--repeats", type=int, default=3, help="builds of each kind that are timed (3)")
    parser.add_argument("--budget", type=int, default=20, help="compilations for each module (20)")
    parser.add_argument("--compiler", default="clang-22", help="the plain compiler (clang-22)")
    return parser.parse_args()


def _known() -> list[dict[str, Any]]:
    return list(json.loads(RESULTS.read_text(encoding="utf-8"))["projects"]) if RESULTS.is_file() else []


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Run:
    """One project, from the copies of its source to its row of the results."""

    def __init__(self, project: Project, work: Path, launcher: Path, compiler: str, budget: int) -> None:
        self.project, self.budget, self.home = project, budget, work / project.package
        self.source = debian.fetch(project.package, settings.cache_folder() / "debian")
        with_us = {"FORERUN_BUDGET": str(budget), "FORERUN_VERBOSE": "1"}
        self.plain = Site(self.home / "plain", f"{compiler} -Oz", launcher, {})
        self.ours, self.locked = (
            Site(self.home / name, f"forerun cc {compiler} -Oz", launcher, with_us) for name in ("forerun", "locked")
        )
        self.lock = self.ours.folder / "forerun.lock"

    def row(self, repeats: int) -> dict[str, Any]:
        """Everything that is measured of the project. Raises ForerunError where something does not build."""
        for site in (self.plain, self.ours, self.locked):
            site.prepare(self.source, self.project.configure)
        plain_s = self.built(self.plain, 1)
        cold_s = {1: self.built(self.ours, 1, FORERUN_LOCK=str(self.lock))}
        first = binaries(self.ours.tree)
        found: dict[str, Any] = self.outcome() | self.verified() | {"from_lock": self.from_lock(first)}
        checks = self.checks()
        # Another cache and two jobs must find the same: nothing depends on chance or on what is compiled beside it.
        cold_s[2] = self.built(self.ours, 2, cache="cache-2")
        found["second_search_equal"] = self.gives(first)
        times, equal = self.times(repeats, first)
        self.ours.end()
        row: dict[str, Any] = {"project": self.project.package, "version": debian.name_and_version(self.source)[1]}
        row |= {"budget": self.budget, "repeats": repeats, "warm_equal": equal, "first_plain_build_s": plain_s}
        return _judged(row | found | _ratios(times, cold_s) | {"checks": checks})

    def built(self, site: Site, jobs: int, cache: str = "cache", **environment: str) -> float:
        """Seconds of one build after a `clean`."""
        site.must(self.project.clean)
        start = time.perf_counter()
        site.must(self.project.make, MAKEFLAGS=f"-j{jobs}", FORERUN_CACHE=str(site.folder / cache), **environment)
        say(f"{self.project.package} {site.folder.name} -j{jobs}: {time.perf_counter() - start:.1f} s")
        return time.perf_counter() - start

    def outcome(self) -> dict[str, Any]:
        """Sizes of both builds, in bytes, and what happened to the modules."""
        libraries = {when: self.library(site) for when, site in (("before", self.plain), ("after", self.ours))}
        pairs = [
            (b["size"], libraries["after"]["members"][n]["size"]) for n, b in libraries["before"]["members"].items()
        ]
        entries = [(sum(e.before[:2]), sum(e.after[:2])) for e in lock.read(self.lock).values()]
        said = self.ours.log()
        return {
            "modules": len(entries),
            "improved": sum(after < before for before, after in entries),
            "larger": sum(after > before for before, after in entries + pairs),
            "library_members": len(pairs),
            "library_members_improved": sum(after < before for before, after in pairs),
            "fallbacks": sorted({line for line in said.splitlines() if line.endswith("the real compiler runs")}),
            "library": {"file": self.project.library} | libraries,
            "linked": {name: self.linked(name) for name in self.project.linked},
        }

    def library(self, site: Site) -> dict[str, Any]:
        """Sizes of the static library: in all, and of each member."""
        parts = {name: sizes(data) for name, data in members((site.tree / self.project.library).read_bytes())}
        return {k: sum(part[k] for part in parts.values()) for k in next(iter(parts.values()))} | {"members": parts}

    def linked(self, name: str) -> dict[str, dict[str, int]]:
        """Sizes of a program or shared library."""
        both = (("before", self.plain), ("after", self.ours))
        return {when: sizes((site.tree / name).read_bytes()) for when, site in both}

    def verified(self) -> dict[str, Any]:
        """What stock tools say of the lock file."""
        text = self.ours.output(f"forerun verify --format json {self.lock}")
        rows = json.loads(text[text.index("[") : text.rindex("]") + 1])
        other = [f"{row['file']}: {row['status']}: {row['why']}" for row in rows if row["status"] != "verified"]
        return {"verified": len(rows) - len(other), "not_verified": other}

    def from_lock(self, first: Mapping[str, str]) -> dict[str, Any]:
        """A build from the lock file alone, in another folder: how many of its files have the same bytes."""
        (self.locked.folder / "forerun.lock").write_bytes(self.lock.read_bytes())
        where = {"FORERUN_LOCK": str(self.locked.folder / "forerun.lock"), "FORERUN_LOCKED": "1"}
        seconds = self.built(self.locked, 2, **where)
        now = binaries(self.locked.tree)
        other = sorted(name for name in first.keys() | now.keys() if first.get(name) != now.get(name))
        self.locked.end()
        return {"files": len(first), "equal": len(first) - len(other), "other": other, "seconds": seconds}

    def checks(self) -> list[dict[str, Any]]:
        """The project's tests, on both builds."""
        return [self.check(check) for check in self.project.checks if not check.needs or os.environ.get(check.needs)]

    def check(self, check: Check) -> dict[str, Any]:
        """The exit codes of one test, and whether the outputs are equal where they must be."""
        say(f"{self.project.package} {check.command[:80]}")
        (code, printed), (our_code, our_printed) = (site.run(check.command) for site in (self.plain, self.ours))
        same = printed == our_printed if check.same else None
        passed = code == our_code == 0 and same is not False
        return {"command": check.command, "plain": code, "forerun": our_code, "same_output": same, "passed": passed}

    def gives(self, first: Mapping[str, str]) -> bool:
        """Whether the tree has the files of the first build, to the byte; tests may have left others."""
        return first.items() <= binaries(self.ours.tree).items()

    def times(self, repeats: int, first: Mapping[str, str]) -> tuple[dict[int, dict[str, Timing]], bool]:
        """Builds in turn, by the number of jobs; and whether the warm ones gave the bytes of the first."""
        equal, times = True, {}
        for jobs in JOBS:
            seconds: dict[str, list[float]] = {}
            for turn in range(repeats + 1):
                for name, build in self.kinds(jobs).items():
                    taken = build()
                    if turn:  # the first turn warms the page cache up
                        seconds.setdefault(name, []).append(taken)
                equal &= self.gives(first)
            times[jobs] = {name: Timing(tuple(values)) for name, values in seconds.items()}
        return times, equal

    def kinds(self, jobs: int) -> dict[str, Callable[[], float]]:
        """What is timed."""
        return {
            "plain": partial(self.built, self.plain, jobs),
            "warm": partial(self.warm, jobs),
            "resident": partial(self.built, self.ours, jobs),
        }

    def warm(self, jobs: int) -> float:
        """Seconds of a build that finds everything in the cache, but no server."""
        end_servers(self.ours.folder / "cache")
        return self.built(self.ours, jobs)


def _ratios(times: Mapping[int, Mapping[str, Timing]], cold_s: Mapping[int, float]) -> dict[str, Any]:
    """Medians and spreads in seconds; ratios over the plain build, the worse one of the numbers of jobs."""
    rows = []
    for jobs, kinds in times.items():
        plain = kinds["plain"].median_s
        row: dict[str, Any] = {"jobs": jobs, "cold_s": cold_s[jobs], "cold_ratio": cold_s[jobs] / plain}
        for name, timing in kinds.items():
            row |= {f"{name}_s": timing.median_s, f"{name}_spread": timing.spread, f"{name}_all_s": timing.seconds}
        rows.append(row | {f"{name}_ratio": kinds[name].median_s / plain for name in ("warm", "resident")})
    worst = {key: max(row[key] for row in rows) for key in ("cold_ratio", "warm_ratio", "resident_ratio")}
    return {"times": rows} | worst


def _judged(row: dict[str, Any]) -> dict[str, Any]:
    """The row with a word on its tests, and with what is not as it should be."""
    passed = sum(check["passed"] for check in row["checks"])
    verdicts = {
        "a test fails": passed < len(row["checks"]),
        "a module is larger": row["larger"] > 0,
        "a module is not verified": bool(row["not_verified"]),
        "the build from the lock file differs": bool(row["from_lock"]["other"]),
        "a second search finds something else": not row["second_search_equal"],
        "a warm build differs": not row["warm_equal"],
        "a warm build costs more than 1.3 plain ones": row["warm_ratio"] > 1.3,
    }
    return row | {
        "tests": f"{passed} of {len(row['checks'])}",
        "wrong": [what for what, is_so in verdicts.items() if is_so],
    }


if __name__ == "__main__":
    sys.exit(main())
