"""Conformance suites: the laws that every grammar, model, task and toolchain keeps.

Each raises AssertionError with the law that is broken. They run on everything registered here, and a plugin's author
runs them on a plugin:

    from forerun.testing import check_grammar
    def test_my_grammar() -> None:
        check_grammar(MyGrammar(), answers=[...])
"""

from forerun.testing.grammars import check_grammar, walk
from forerun.testing.models import check_model, check_predictor, toy_rows
from forerun.testing.tasks import check_task
from forerun.testing.toolchains import check_toolchain

__all__ = [
    "check_grammar",
    "check_model",
    "check_predictor",
    "check_task",
    "check_toolchain",
    "toy_rows",
    "walk",
]
