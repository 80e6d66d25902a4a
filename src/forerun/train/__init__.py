"""Learning what ships from stored trials."""

import os

if not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & set(os.environ):
    # Before PyTorch is loaded: threads that spin at each other's barriers take the cores from those that compute.
    os.environ["OMP_WAIT_POLICY"] = "passive"


def leads() -> bool:
    """Whether this process is the first of those that `torchrun` started, on any machine, or the only one: it prints,
    and writes what a training ends with."""
    return int(os.environ.get("RANK", 0)) == 0
