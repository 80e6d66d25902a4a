"""How things lie in memory in other languages, for `forerun.tasks._walked`.

Bytes of what is under a key, of nodes and of elements are those of `forerun.tasks._footprint`, as they were measured;
others follow from how the languages are made.
"""

from __future__ import annotations

from collections.abc import Mapping

from forerun.tasks._objects import DataModel

_LAYOUTS: Mapping[str, DataModel] = {
    "c": DataModel(slot=8.0, field=8.0, keyed=48.0, text=16.0, list=16.0, thing=0.0),
    "c++": DataModel(slot=8.0, field=8.0, keyed=48.0, text=32.0, list=24.0, thing=0.0, short=15.0),
    "rust": DataModel(slot=8.0, field=8.0, keyed=40.0, text=40.0, list=24.0, thing=0.0, views=True, few=(0.0, 80.0)),
    "go": DataModel(
        slot=8.0, field=8.0, keyed=78.0, text=24.0, list=24.0, thing=0.0, garbage=4e6, share=1.0, views=True
    ),
    "java": DataModel(slot=6.0, field=4.0, keyed=60.0, text=48.0, number=16.0, list=40.0, thing=12.0, garbage=1.15e8),
    "javascript": DataModel(
        slot=10.0, field=8.0, keyed=45.0, text=20.0, list=32.0, thing=24.0, garbage=2.5e7, share=1.0, open=True
    ),
    "perl": DataModel(
        slot=10.0, field=110.0, keyed=110.0, text=56.0, number=24.0, list=80.0, thing=160.0, own=True, open=True
    ),
    "ruby": DataModel(slot=9.0, field=8.0, keyed=38.0, text=40.0, list=40.0, thing=40.0, short=23.0, open=True),
    "php": DataModel(
        slot=16.0, field=16.0, keyed=41.0, text=32.0, list=56.0, thing=56.0, few=(160.0, 320.0), open=True
    ),
    "lua": DataModel(slot=16.0, field=40.0, keyed=50.0, text=26.0, list=56.0, thing=56.0, open=True),
}


def layout(language: str) -> DataModel | None:
    """That of a language; None of Python, whose objects `forerun.tasks._objects` has."""
    return _LAYOUTS.get(language)
