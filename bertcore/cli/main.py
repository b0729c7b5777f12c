"""`bertcore`: the commands, and how errors reach the person."""

from __future__ import annotations

import sys

import typer

from bertcore.cli import inspect_commands, pretrain_command
from bertcore.errors import BertcoreError

app = typer.Typer(
    help="BERT on your own machine: look inside it, ask it for words, train one.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
inspect_commands.register(app)
pretrain_command.register(app)


def main() -> None:
    """Run a command; what a person can put right ends with one sentence and exit code 2."""
    try:
        app()
    except BertcoreError as error:
        print(f"bertcore: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # `bertcore ... | head`
        sys.stderr.close()
        sys.exit(0)


if __name__ == "__main__":
    main()
