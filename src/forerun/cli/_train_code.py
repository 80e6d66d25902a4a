"""Of `forerun train`: a language model of code without labels, for `forerun train --start` to go on from."""

from __future__ import annotations

import argparse
from pathlib import Path

from forerun.cli._train_predict import dial_options, dialled, started, trained
from forerun.cli.render import counted, say, say_skipped
from forerun.errors import UsageError
from forerun.tables import read_rows


def configure(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.epilog = (
        "Gaps are cut out of the texts, and the network writes what stood in them. Called again with the same texts and"
        " folder, it goes on where it stopped; Ctrl-C loses nothing. Then: forerun train --data FILE --start DIR"
    )
    parser.add_argument(
        "--folder", action="append", default=[], type=Path, metavar="DIR",
        help="source files, LLVM IR (.ll), assembly (.s, .asm) and networks (.onnx), in folders below it too",
    )  # fmt: skip
    rows = "rows as `forerun data` writes them, of which only the texts are read"
    parser.add_argument("--data", action="append", default=[], type=Path, metavar="FILE", help=rows)
    parser.add_argument(
        "--start", metavar="DIR", help="a checkpoint to go on from, with tokens that are learned anew on these texts"
    )
    parser.add_argument("--recipe", default="cpu", help="cpu or gpu (default: cpu)")
    dial_options(parser)
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("language"), help="folder for the checkpoint (default: language)"
    )


def run(options: argparse.Namespace) -> int:
    """Trains; prints where it stands."""
    if not options.folder and not options.data:
        raise UsageError("there is nothing to learn from", "no folder and no file is named", "name one: --folder DIR")
    start = started(options.start)
    training = dialled(options, ("cpu", "gpu"), start, ("depth", "context"))  # tokens are learned anew
    texts = _texts(options)
    say(f"{counted(len(texts), 'text')} to learn from and to validate with")

    def learn(**how: object) -> bool:
        from forerun.train.fit import pretrain

        return pretrain(texts, options.output, training, start=start, **how)  # type: ignore[arg-type]

    return trained(learn, training, options)


def _texts(options: argparse.Namespace) -> list[str]:
    """Each once, in their order. Raises InputError, and ToolMissing where nothing reads networks."""
    from forerun.corpora import onnx_models, programs

    found = [text for folder in options.folder for text in programs.texts(folder)]
    for folder in options.folder:
        graphs = onnx_models.load(folder, "")
        say_skipped(folder, graphs.skipped)
        found += (each.source.text for each in graphs.networks)
    return list(dict.fromkeys([*found, *(row.prompt for path in options.data for row in read_rows(path))]))
