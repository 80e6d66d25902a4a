"""What workers of tensor programs begin with: importing this loads TVM, and what programs for processors ask it for."""

import numpy.random  # noqa: F401

from forerun.toolchains.tvm import _load, measure  # noqa: F401

_load.plain()

import tvm.relax.script.parser  # noqa: E402
import tvm.script.tirx  # noqa: E402, F401
