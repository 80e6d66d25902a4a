"""Whether the files of a checkpoint belong together: the SHA-256 of each, written beside them when they are saved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from forerun import plain
from forerun.errors import InputError, reason
from forerun.files import write_atomically

FILE = "checksums.json"
WEIGHTS, ENCODER, DECODER = "model.safetensors", "encoder.onnx", "decoder.onnx"
_CHANGING = ("card.json",)
"""Files that may change afterwards, and have to be there."""
_THERE = "there"
_RECORDED_LATE = ("learned.json",)
"""Files of which earlier versions recorded that they are there, or nothing."""
_SHIPPED = Path(__file__).parents[2] / "weights"


def again(folder: Path, name: str) -> str:
    """What to do where a file of a checkpoint is damaged: graphs can be made of the weights beside them."""
    if folder.resolve().is_relative_to(_SHIPPED.resolve()):
        return "install forerun again: pip install --force-reinstall forerun"
    if name in (ENCODER, DECODER) and (folder / WEIGHTS).is_file():
        place = repr(str(folder))
        how = f"EncoderDecoder.from_pretrained({place}, device='cpu').save_pretrained({place})"
        return f"copy the whole folder again, or save it from its {WEIGHTS}: {how}"
    return "copy the whole folder again, or train it again"


def begin(folder: Path) -> None:
    """Before files are saved: until `record`, whatever ends the saving, the folder is no whole checkpoint."""
    write_atomically(folder / FILE, b"{}\n")


def record(folder: Path, names: Sequence[str]) -> None:
    """Writes `checksums.json` of those files that are there; of what may change after that, that it is there."""
    found = {name: digest for name in names if (digest := _digest(folder / name))}
    found |= {name: _THERE for name in _CHANGING if (folder / name).is_file()}
    write_atomically(folder / FILE, (json.dumps(found, indent=1) + "\n").encode())


def check(folder: Path, names: Sequence[str]) -> Mapping[str, str]:
    """What is recorded: nothing without `checksums.json`, and then nothing is checked.

    Raises InputError where a file is not the one that was saved, or is absent.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        known = plain.value(json.loads(path.read_text(encoding="utf-8")), Mapping[str, str], "it")
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{path} cannot be read", reason(error), again(folder, FILE)) from error
    if not known:
        todo = "save it again; where a training wrote it, the command that began it goes on"
        raise InputError(f"{folder} is not one whole checkpoint", "its saving was begun and did not end", todo)
    gone = (name for name, saved in known.items() if saved == _THERE and not (folder / name).is_file())
    if name := next(gone, ""):
        raise InputError(f"{folder} is not one whole checkpoint", f"{name} is missing", again(folder, name))
    unknown = [name for name in _RECORDED_LATE if known.get(name, _THERE) == _THERE]
    for name in (name for name in names if name not in unknown):
        found = _digest(folder / name)
        if found != known.get(name, ""):
            why = f"{name} is not the file that was saved with the others" if found else f"{name} is missing"
            raise InputError(f"{folder} is not one whole checkpoint", why, again(folder, name))
    return known  # type: ignore[no-any-return]


def doubt(folder: Path) -> str:
    """What a user should know of a folder whose files nobody can check, as one that was put together by hand; of one
    whose graphs are gone, or whose weights are damaged, which no answer by graphs reads. Raises InputError where the
    file cannot be read.
    """
    if (folder / FILE).is_file():
        saved = check(folder, ())
        gone = [name for name in (ENCODER, DECODER) if name in saved and not (folder / name).is_file()]
        if gone:
            return f"{folder} lacks {' and '.join(gone)}: PyTorch answers, slower; copy the whole folder again"
        if _digest(folder / WEIGHTS) not in ("", saved.get(WEIGHTS)):
            why = f"{WEIGHTS} is not the one that was saved"
            return f"{folder}: {why}: answers come from the graphs, and no training can start there; copy it again"
        return ""
    return f"{folder} has no {FILE}: whether its files belong together is not known; save_pretrained writes one"


def _digest(path: Path) -> str:
    """Empty for an absent file."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
