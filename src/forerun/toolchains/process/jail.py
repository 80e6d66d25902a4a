"""Runs one command shut in, and prints as JSON what it used: `python -I -S jail.py SPEC`, the standard library alone.

A script and no module, for two reasons. Namespaces can be entered by a process with one thread only. And the kernel
hands the peak memory of whoever calls `exec` on to the new program, so a program that Python starts, by fork or by
vfork alike, seems never to use less than Python does: here a small shell starts it, ends at once, and leaves its child
to the supervisor, whose `wait4` (Linux man-pages, getrusage(2)) then tells what the program alone has used.

Where the kernel lets this user have namespaces (user_namespaces(7)), the program sees no network and no process but its
own, can write nowhere but in the folders that are named, and everything that it started ends with it. Elsewhere only
the limits hold. Memory is bounded by RLIMIT_DATA: the runtimes of Java, Go, JavaScript and Lisp reserve far more
addresses than they use, which RLIMIT_AS would count, and control groups need a grant from the administrator. What is
shared or spread over processes is no data of one process, so the supervisor adds up what all of them hold, too.

Since Linux 6.2 the kernel counts resident pages for each processor and adds them up now and then: two runs of the
smallest programs differ by some 80 KiB of 1.3 MB, measured with two processors.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_POLL_MS, _SLOW_POLL_MS = 50, 250
"""The slow one where every process of the machine is looked at."""
_MARGIN = 64
"""Processes beyond those that are allowed, so that they are seen before the kernel refuses more."""
_ID = 1000
"""Who the program is inside: not 0, so that `exec` takes away the rights over the new namespaces."""

# <linux/sched.h>, <linux/mount.h>, <linux/prctl.h>
_NEW_MOUNT, _NEW_UTS, _NEW_IPC, _NEW_USER, _NEW_PID, _NEW_NET = 0x20000, 0x4000000, 0x8000000, 1 << 28, 1 << 29, 1 << 30
_NOSUID, _NODEV, _BIND, _RECURSIVE, _PRIVATE = 2, 4, 0x1000, 0x4000, 0x40000
_READ_ONLY, _AT_RECURSIVE, _MOUNT_SETATTR = 1, 0x8000, 442
_PARENT_DEATH_SIGNAL, _SUBREAPER, _NO_NEW_PRIVILEGES, _NO_HUGE_PAGES = 1, 36, 38, 41
_DEVICES = ("null", "zero", "full", "random", "urandom")

_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGHUP)
"""By Python and by `nohup`: what is ignored stays so in what is started. (Shells ignore SIGINT behind an `&`.)"""

# The program waits for the line that says that the shell has gone, or the shell might wait for it and keep to itself
# what it used.
_START = '(read -r _ <&5; exec "$@" <&3 3<&- 4>&- 5<&-) & echo $! >&4'

_libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Prints what became of the command in `argv[1]`."""
    spec = json.loads(sys.argv[1])
    _libc.prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    try:
        streams = _open(spec)
        told = _inside(spec, streams) if spec["confine"] else _supervised(spec, streams)
    except OSError as error:
        told = {"broken": str(error)}
    if told:
        print(json.dumps(told), flush=True)


class _Streams(NamedTuple):
    """Opened before anything is shut: what the program reads and writes."""

    given: int
    out: int
    err: int


def _open(spec: dict[str, Any]) -> _Streams:
    kind = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    return _Streams(_input(spec), *(os.open(spec[name], kind, 0o600) for name in ("stdout", "stderr")))


def _inside(spec: dict[str, Any], streams: _Streams) -> dict[str, Any]:
    """As `_supervised`, by the first process of new namespaces; when it ends, the kernel ends all others."""
    _enter()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return {}
    _libc.prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    _furnish(spec)
    return _supervised(spec, streams)


def _call(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _enter() -> None:
    user, group = os.getuid(), os.getgid()
    spaces = _NEW_USER | _NEW_MOUNT | _NEW_PID | _NEW_NET | _NEW_IPC | _NEW_UTS
    _call(_libc.unshare(spaces), "unshare")
    Path("/proc/self/setgroups").write_text("deny", encoding="utf-8")
    Path("/proc/self/uid_map").write_text(f"{_ID} {user} 1", encoding="utf-8")
    Path("/proc/self/gid_map").write_text(f"{_ID} {group} 1", encoding="utf-8")


def _mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    words = (word.encode() for word in (source, target, kind))
    _call(_libc.mount(*words, ctypes.c_ulong(flags), options.encode()), f"mount {target}")


def _protect(path: str, read_only: bool, recursive: bool = False) -> None:
    """mount_setattr(2): unlike a remount it keeps the flags that are locked, and takes the mounts below."""
    bit = _READ_ONLY | _NOSUID
    change = (ctypes.c_uint64 * 4)(bit if read_only else 0, 0 if read_only else _READ_ONLY, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    size = ctypes.sizeof(change)
    _call(_libc.syscall(_MOUNT_SETATTR, -100, path.encode(), flags, change, size), f"mount_setattr {path}")


def _furnish(spec: dict[str, Any]) -> None:
    """What the program sees: everything read-only but its folders; its own processes; few devices; no sockets of /run.

    The last two matter where root runs this: to the kernel it is still root where only file permissions are asked.
    """
    _mount("none", "/", flags=_RECURSIVE | _PRIVATE)
    for path in spec["writable"]:
        _mount(path, path, flags=_BIND)
    _protect("/", read_only=True, recursive=True)
    for path in spec["writable"]:
        _protect(path, read_only=False)
    if spec["scratch"]:
        _mount("tmpfs", spec["scratch"], "tmpfs", _NOSUID | _NODEV, f"mode=700,size={spec['scratch_bytes']}")
    _mount("proc", "/proc", "proc", _NOSUID | _NODEV)
    # Since Linux 6.14 a namespace has a maximum of its own, which holds for root as well; the least it takes is 301.
    with contextlib.suppress(OSError):
        Path("/proc/sys/kernel/pid_max").write_text(str(max(301, spec["processes"] + _MARGIN)), encoding="utf-8")
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="utf-8")
    _protect("/proc", read_only=True)
    _devices()
    _mount("tmpfs", "/run", "tmpfs", _NOSUID | _NODEV, "mode=755,size=64k")


def _devices() -> None:
    kept = {name: os.open(f"/dev/{name}", os.O_PATH) for name in _DEVICES}
    _mount("tmpfs", "/dev", "tmpfs", _NOSUID, "mode=755,size=64m")
    for name, descriptor in kept.items():
        Path(f"/dev/{name}").touch()
        _mount(f"/proc/self/fd/{descriptor}", f"/dev/{name}", flags=_BIND)
    Path("/dev/shm").mkdir(0o777)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        Path(f"/dev/{name}").symlink_to(f"/proc/self/fd/{number}")
    Path("/dev/fd").symlink_to("/proc/self/fd")


def _supervised(spec: dict[str, Any], streams: _Streams) -> dict[str, Any]:
    _libc.prctl(_SUBREAPER, 1)
    program, group, start = _launch(spec, streams)
    stopped = _watch(spec, program, group, start)
    if stopped:
        _kill(spec, group)
    _, status, usage = os.wait4(program, 0)
    wall = time.monotonic() - start
    usages = [usage, *_reaped(spec, group)]
    return {
        "status": os.waitstatus_to_exitcode(status),
        "stopped": stopped,
        "memory_bytes": max(u.ru_maxrss for u in usages) * 1024,
        "cpu_s": sum(u.ru_utime + u.ru_stime for u in usages),
        "wall_s": wall,
        "faults": sum(u.ru_minflt + u.ru_majflt for u in usages),
        "read_input": not spec["stdin"] and not _left(streams.given),
        "network": spec["confine"] and _unreachable() > 0,
    }


def _input(spec: dict[str, Any]) -> int:
    """Where the program reads. Who is given no input finds a line: if it is gone afterwards, the program wanted one."""
    if spec["stdin"]:
        return os.open(spec["stdin"], os.O_RDONLY)
    there, line = os.pipe()
    os.write(line, b"\n")
    os.close(line)
    return there


def _left(pipe: int) -> int:
    count = ctypes.c_int.from_buffer_copy(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))
    return count.value


def _launch(spec: dict[str, Any], streams: _Streams) -> tuple[int, int, float]:
    """The program's process, a child of this one; its process group; when it began."""
    told, note = os.pipe()
    gate, opener = os.pipe()
    shell = os.fork()
    if not shell:
        _become(spec, (streams.given, note, gate, streams.out, streams.err))
    os.close(note)
    os.close(gate)
    # The program holds the other end open until it begins, so no more than the line can be waited for.
    said = os.read(told, 32)
    os.waitpid(shell, 0)
    if not said.strip().isdigit():
        raise OSError(f"{spec['shell']} starts nothing")
    start = time.monotonic()
    with contextlib.suppress(BrokenPipeError):
        os.write(opener, b"\n")
    os.close(opener)
    return int(said), shell, start


def _become(spec: dict[str, Any], files: tuple[int, ...]) -> None:
    """The shell, in a session of its own and under the limits. Never returns."""
    try:
        os.setsid()
        high = [fcntl.fcntl(file, fcntl.F_DUPFD, 100) for file in files]
        for number, file in zip((3, 4, 5, 1, 2), high, strict=True):
            os.dup2(file, number)
        os.closerange(6, 200)
        for ignored in _IGNORED:
            signal.signal(ignored, signal.SIG_DFL)
        _limit(spec)
        os.chdir(spec["cwd"])
        words = [spec["shell"], "-c", _START, "program", *spec["command"]]
        os.execve(spec["shell"], words, spec["env"])
    except OSError as error:
        os.write(2, f"{error}\n".encode())
    os._exit(126)


def _limit(spec: dict[str, Any]) -> None:
    seconds = max(1, round(spec["cpu_s"]))
    bounds = {
        resource.RLIMIT_CPU: (seconds, seconds + 1),
        resource.RLIMIT_DATA: (spec["memory_bytes"],) * 2,
        resource.RLIMIT_FSIZE: (spec["file_bytes"],) * 2,
        resource.RLIMIT_CORE: (0, 0),
        # A worker of ours is bounded by its addresses, which would be wrong for the program (see above).
        resource.RLIMIT_AS: (resource.RLIM_INFINITY,) * 2,
    }
    if (most := _most_processes(spec)) is not None:
        bounds[resource.RLIMIT_NPROC] = (most, most)
    for kind, (soft, hard) in bounds.items():
        highest = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (_least(soft, highest), _least(hard, highest)))
    _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    # Two megabytes at a time, where and when the kernel likes: the peak would depend on luck.
    _libc.prctl(_NO_HUGE_PAGES, 1, 0, 0, 0)


def _least(a: int, b: int) -> int:
    """The stricter of two limits, of which one may be none."""
    return max(a, b) if resource.RLIM_INFINITY in (a, b) else min(a, b)


def _most_processes(spec: dict[str, Any]) -> int | None:
    """For RLIMIT_NPROC, which Linux counts for each user namespace since 5.14, and for all of a user before."""
    most = int(spec["processes"]) + _MARGIN
    release = tuple(int(part) for part in os.uname().release.partition("-")[0].split(".")[:2])
    if spec["confine"]:
        return most if release >= (5, 14) else None
    return most + sum(_threads(path) for path in Path("/proc").glob("[0-9]*"))


def _threads(process: Path) -> int:
    with contextlib.suppress(OSError):
        if process.stat().st_uid == os.getuid():
            return sum(1 for _ in (process / "task").iterdir())
    return 0


def _watch(spec: dict[str, Any], program: int, group: int, start: float) -> str:
    """Waits for the program's end, or says which limit it has passed.

    Time in which it could have run, but other programs did, is given back to it, up to ten times over: on a busy
    machine the same programs would fail otherwise that succeed on a quiet one.
    """
    waited = 0.0
    poll = select.poll()
    poll.register(os.pidfd_open(program), select.POLLIN)
    while not poll.poll(_POLL_MS if spec["confine"] else _SLOW_POLL_MS):
        processes = [p for p in _processes() if spec["confine"] or _group(p) == group]
        waited = max([waited, *map(_waited, processes)])
        if time.monotonic() - start > spec["wall_s"] + min(waited, 10 * spec["wall_s"]):
            return "timeout"
        if len(processes) > spec["processes"]:
            return "processes"
        if sum(map(_resident, processes)) > spec["memory_bytes"]:
            return "memory"
    return ""


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if path.name != "1"]


def _group(process: int) -> int:
    with contextlib.suppress(OSError):
        return os.getpgid(process)
    return 0


def _resident(process: int) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{process}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def _waited(process: int) -> float:
    """Seconds that a process was ready to run and had no processor."""
    with contextlib.suppress(OSError, IndexError):
        return int(Path(f"/proc/{process}/schedstat").read_bytes().split()[1]) / 1e9
    return 0.0


def _kill(spec: dict[str, Any], group: int) -> None:
    """All that the program started; without namespaces, those that stayed in its group."""
    with contextlib.suppress(OSError):
        if spec["confine"]:
            os.kill(-1, signal.SIGKILL)
        else:
            os.killpg(group, signal.SIGKILL)


def _reaped(spec: dict[str, Any], group: int) -> Iterator[Any]:
    """Ends what the program left behind, which became ours, and says what it used."""
    while True:
        _kill(spec, group)
        for child in () if spec["confine"] else _children():
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            yield os.wait4(-1, 0)[2]
        except ChildProcessError:
            return


def _children() -> list[int]:
    with contextlib.suppress(OSError):
        return [
            int(word) for word in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="utf-8").split()
        ]
    return []


def _unreachable() -> int:
    """Packets for which there was no way out: this network namespace has none, so each is an attempt."""
    rows = Path("/proc/net/snmp").read_text(encoding="utf-8").splitlines()
    names, values = (line.split() for line in rows if line.startswith("Ip:"))
    count = int(values[names.index("OutNoRoutes")])
    with contextlib.suppress(OSError):
        pairs = (line.split() for line in Path("/proc/net/snmp6").read_text(encoding="utf-8").splitlines())
        count += next((int(pair[1]) for pair in pairs if pair[0] == "Ip6OutNoRoutes"), 0)
    return count


if __name__ == "__main__":
    main()
