"""`bertcore`: the commands, and how errors reach the person."""

import io
import os
import sys
import warnings
from typing import Annotated, Any, NoReturn

import typer

from bertcore.cli import (
    batch_command,
    check_command,
    compare_commands,
    evidence_commands,
    inspect_commands,
    task_commands,
    training_commands,
)
from bertcore.cli.output import say
from bertcore.errors import BertcoreError, CutOffWarning
from bertcore.files import is_out_of_memory
from bertcore.runs.environment import BERTSCOPE, version_of

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
for command in (
    inspect_commands.info,
    inspect_commands.tokenize,
    inspect_commands.fill,
    inspect_commands.trace,
    inspect_commands.attribute,
    inspect_commands.lens,
    inspect_commands.heads,
    compare_commands.embed,
    compare_commands.compare,
    compare_commands.patch,
    compare_commands.circuit,
    compare_commands.score,
    check_command.check,
    training_commands.pretrain,
    training_commands.finetune,
    training_commands.distil,
    training_commands.sweep,
    training_commands.cache,
    batch_command.batch,
    task_commands.evaluate,
    task_commands.predict,
):
    app.command()(command)
app.add_typer(evidence_commands.evidence, name="evidence")


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"bertcore {version_of(BERTSCOPE) or '(not installed as a package)'}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """BERT on your own machine: look inside it, fill in masks, train your own."""


def main() -> None:
    """Run a command; what a person can put right ends with one sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # Windows would write a pipe in its own code page
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if "RANK" in os.environ:  # torch would warn once that a step's search for unused parameters finds none
        os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    try:
        app()
    except BertcoreError as error:
        _fail(str(error))
    except BrokenPipeError:  # `bertcore ... | head`
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        _fail(f"{error.filename or 'a file'} cannot be read or written: {error.strerror or error}.")
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        _fail("There is not enough memory for this model or text.")


def _show_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any) -> None:
    """Ours as a sentence, without the line of code that Python adds."""
    if issubclass(category, CutOffWarning):
        say(f"bertcore: {message}", error_stream=True)
    else:
        sys.stderr.write(warnings.formatwarning(message, category, filename, lineno))


def _fail(sentence: str) -> NoReturn:
    say(f"bertcore: {sentence}", error_stream=True)
    sys.exit(2)
