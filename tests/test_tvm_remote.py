"""Another machine measures, through TVM's RPC: a real server and a real tracker, as processes of this one."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from forerun.core import Source
from forerun.errors import ToolMissing, UsageError
from forerun.models.uniform import Uniform
from forerun.store import Store
from forerun.tasks.schedule import Schedule

pytest.importorskip("tvm_ffi")

from forerun import tuning
from forerun.toolchains.tvm import _load, device, extract, reference, remote
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.measure import Bounds, measure
from forerun.toolchains.tvm.remote import Remote
from forerun.toolchains.tvm.space import Program
from forerun.tuning import output
from tests.test_tune import network
from tests.test_tvm_space import source as made

pytestmark = pytest.mark.filterwarnings("ignore")
QUICK = Bounds(samples=3, seconds=0.02)


@contextmanager
def started(folder: Path, module: str, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """`python -m module` as a user starts it, and the port that it says it listens on."""
    (folder / "torch.py").write_text("raise ImportError")  # which TVM would load, for seconds
    log = folder / "log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", module, "--host", "127.0.0.1", *arguments],
            stdout=stream, stderr=stream, env={**os.environ, "PYTHONPATH": str(folder)},
        )  # fmt: skip
    try:
        ends = time.monotonic() + 60
        while "bind to" not in (said := log.read_text()):
            assert process.poll() is None and time.monotonic() < ends, said
            time.sleep(0.05)
        yield process, int(said.split("bind to 127.0.0.1:")[1].split()[0])
    finally:
        # Servers of TVM have children with sessions of their own.
        ours = [process, *psutil.Process(process.pid).children(recursive=True)] if process.poll() is None else []
        for each in ours:
            with suppress(psutil.NoSuchProcess):  # a child ends with its session
                each.kill()
        for each in ours:
            each.wait()


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], Remote]]:
    with started(folder, "tvm.exec.rpc_server", "--port", "19290", "--port-end", "19390", *arguments) as (
        process,
        port,
    ):
        yield process, Remote("127.0.0.1", port)


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remote]:
    with serving(tmp_path_factory.mktemp("server")) as (_, found):
        yield found


@pytest.fixture
def asked() -> Source:
    found = made("GMM")
    return Source(found.text, found.lang, found.name, targets.parse("llvm:1"))


def test_an_address_is_read_as_it_is_written() -> None:
    for text in ("pi:9090", "10.0.0.7:9190/pixel"):
        assert str(Remote.parse(text)) == text
    for text in ("pi", "pi:", ":9090", "pi:port", "pi:99999", "pi:9090/", "pi:9090/a b"):
        with pytest.raises(UsageError, match="not a machine"):
            Remote.parse(text)


def test_a_kernel_is_checked_and_timed_there(there: Remote, asked: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    (draft,) = Uniform(1).sample("", Schedule().grammar(asked), 1, 0)
    for plan in (None, draft.answer):
        found = measure(asked, plan, QUICK, there)
        assert found.ok and 0 < found.values["latency_least"] <= found.values["latency"] < 1, found
    real = device.Session.loaded
    monkeypatch.setattr(device.Session, "loaded", lambda self, made: {"main": lambda *_: real(self, made)})
    assert measure(asked, draft.answer, QUICK, there).error.startswith("wrong: output 0 is off by inf")


def test_two_libraries_of_a_session_are_two(there: Remote, asked: Source) -> None:
    with device.opened(device.Place(asked.target, there), 60) as session:
        for name in ("GMM", "NRM"):
            program = Program(Source(made(name).text, asked.lang, name, asked.target))
            module = session.loaded(extract.built(program.module, program.target))
            function = program.module["main"]
            given = reference.inputs(function, 0)
            (wanted,) = reference.evaluate(function, given)
            found = session.tensor(np.zeros(wanted.shape, wanted.dtype))
            module["main"](*map(session.tensor, given), found)
            assert reference.agrees(found.numpy(), wanted, reference.terms(function))


def test_what_is_measured_there_is_known_to_it_alone(there: Remote, asked: Source) -> None:
    assert Schedule(remote=there).id == f"{Schedule().id} on {there}"


def test_it_says_what_it_is(there: Remote) -> None:
    with there.session(20) as session:
        assert targets.parse("llvm:1", session) == targets.here(1)
        with pytest.raises(UsageError, match="99999 threads"):
            targets.parse("llvm:99999", session)
        with pytest.raises(UsageError, match="no CUDA device"):
            targets.parse("cuda", session)
    with pytest.raises(ToolMissing, match=f"{there} has no cuda"):
        device.located("nvidia/nvidia-a100", str(there))


def test_a_network_is_tuned_there(there: Remote, tmp_path: Path) -> None:
    store = tmp_path / "trials.sqlite"
    found = tuning.tune(
        network(tmp_path), target="llvm:1", rpc=str(there), trials=5, proposer="uniform", output=tmp_path / "out",
        store=store,
    )  # fmt: skip
    assert [len(kernel.result.trials) for kernel in found.kernels] == [1] * 5
    assert found.comparison is not None and set(found.comparison.timings) == {"default", "tuned"}
    assert set(found.comparison.errors) == {"default", "onnxruntime"} and max(found.comparison.errors.values()) < 1e-5
    with Store(store) as kept:
        assert not list(kept.trials(Schedule().id)) and len(list(kept.trials(Schedule(remote=there).id))) == 10
    tvm = _load.load()
    machine = tvm.relax.VirtualMachine(tvm.runtime.load_module(str(tmp_path / "out" / output.LIBRARY)), tvm.cpu())
    x = np.ones((1, 3, 9, 9), np.float32)
    assert np.isfinite(machine["main"](tvm.runtime.tensor(x)).numpy()).all()


def test_a_tracker_is_asked_for_its_devices(tmp_path: Path, asked: Source) -> None:
    pytest.importorskip("tornado", reason="TVM's tracker needs it")
    (tmp_path / "tracker").mkdir()
    with started(tmp_path / "tracker", "tvm.exec.rpc_tracker", "--port", "19190", "--port-end", "19290") as (_, port):
        (tmp_path / "server").mkdir()
        with serving(tmp_path / "server", "--tracker", f"127.0.0.1:{port}", "--key", "pi"):
            assert measure(asked, None, QUICK, Remote("127.0.0.1", port, "pi")).ok
            with pytest.raises(ToolMissing, match="no device has the key pixel") as error:
                device.located("llvm:1", f"127.0.0.1:{port}/pixel")
            assert error.value.why == "the tracker knows pi" and "--key pixel" in error.value.todo


def test_a_kernel_that_takes_the_connection_with_it_is_a_failure_and_what_follows_ends_the_search(
    tmp_path: Path, asked: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = device.Session.loaded
    with serving(tmp_path) as (process, there):

        def crashing(self: Any, made: Any) -> Any:
            found = real(self, made)
            psutil.Process(process.pid).children(recursive=True)[-1].send_signal(signal.SIGSEGV)
            return found

        monkeypatch.setattr(device.Session, "loaded", crashing)
        found = measure(asked, None, QUICK, there)
        assert found.error.startswith(f"crash: the connection to {there} was lost") and not found.transient
        monkeypatch.setattr(remote, "_PATIENCE_S", 1.0)
        with pytest.raises(ToolMissing, match="does not answer") as error:
            measure(asked, None, QUICK, there)
        assert "what was measured is kept" in error.value.todo
    with pytest.raises(ToolMissing, match="nobody answers at"):
        measure(asked, None, QUICK, there)


def test_one_that_hangs_is_stopped_there(there: Remote, asked: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    real = device.Session.loaded
    monkeypatch.setenv("FORERUN_TIMEOUT", "1")
    monkeypatch.setattr(device.Session, "loaded", lambda self, made: (time.sleep(1.5), real(self, made))[1])
    assert measure(asked, None, QUICK, there).error == "timeout: stopped after 1 s"
    monkeypatch.setenv("FORERUN_TIMEOUT", "30")
    monkeypatch.setattr(device.Session, "loaded", real)
    assert measure(asked, None, QUICK, there).ok, "the server goes on"


def test_bad_addresses_are_told_in_three_lines(there: Remote, run_forerun: Any, tmp_path: Path) -> None:
    path = str(network(tmp_path))
    for address, code, said in (
        ("nowhere", 2, "not a machine: nowhere"),
        ("127.0.0.1:9", 3, "nobody answers at 127.0.0.1:9"),
        (f"{there}/pi", 3, f"{there}/pi does not answer as a tracker does"),
    ):
        found, out, err = run_forerun("tune", path, "--rpc", address, "--target", "llvm:1")
        assert (found, out) == (code, "") and said in err and len(err.splitlines()) == 3, err


def test_another_version_is_told(there: Remote) -> None:
    """The real server is told that its caller speaks another version of the protocol, as one of another TVM would."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def forward(source: socket.socket, sink: socket.socket) -> None:
            with suppress(OSError):
                while data := source.recv(1 << 16):
                    sink.sendall(data.replace(b"0.8.0", b"0.0.1"))
            for each in (source, sink):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)  # a thread may still read from it

        def serve() -> None:
            with suppress(OSError):
                while True:
                    ours, theirs = listening.accept()[0], socket.create_connection((there.host, there.port))
                    for pair in ((ours, theirs), (theirs, ours)):
                        threading.Thread(target=forward, args=pair, daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        between = Remote("127.0.0.1", listening.getsockname()[1])
        with pytest.raises(ToolMissing, match="another version of TVM") as error, between.session(10):
            pass
    assert "protocol" in error.value.why and "pip install apache-tvm==0.27" in error.value.todo
