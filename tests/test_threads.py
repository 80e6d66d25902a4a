"""Calls side by side."""

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
