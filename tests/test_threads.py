"""Calls side by side."""

import os
import subprocess
import sys
import time

import pytest

from forerun import threads


@pytest.mark.parametrize("cores", [1, 4])
def test_results_come_in_order_and_errors_are_raised(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    monkeypatch.setattr(threads, "cores", lambda: cores)

    def later(i: int) -> int:
        time.sleep(0.002 * (i % 3 == 0))
        return 10 // i

    assert threads.mapped(later, range(1, 11)) == [10 // i for i in range(1, 11)]
    assert threads.mapped(later, []) == []
    with pytest.raises(ZeroDivisionError):
        threads.mapped(later, [1, 0, 2])


def test_one_core_is_one() -> None:
    one, two = threads.too_many(64, 1, ", or 0 for all"), threads.too_many(3, 2)
    assert (one.why, one.todo) == ("one core is there for it", "ask for 1, or 0 for all")
    assert (two.why, two.todo) == ("2 cores are there for it", "ask for 1 to 2")


@pytest.mark.parametrize("given", [{}, {"OMP_WAIT_POLICY": "active"}, {"GOMP_SPINCOUNT": "7"}])
def test_threads_of_a_training_wait_asleep_unless_the_user_has_said_how(given: dict[str, str]) -> None:
    names = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
    clean = {name: value for name, value in os.environ.items() if name not in names}
    code = f"import os, forerun.train.loop; print(*(os.environ.get(name, '') for name in {names}), sep=',')"
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    told = subprocess.run([sys.executable, "-c", code], env=clean | path | given, capture_output=True, text=True)
    wanted = given or {"OMP_WAIT_POLICY": "passive"}
    assert told.stdout.strip().split(",") == [wanted.get(name, "") for name in names], told.stderr
