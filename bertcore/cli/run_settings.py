"""Settings of a run from the shell: a flag for each field, a recipe, or those of the run that is resumed."""

import inspect
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from bertcore.cli import arguments as args
from bertcore.locations import runs_folder
from bertcore.settings import Setting, Settings, plain_number, settings_of
from bertcore.training.options import SomeRunOptions
from bertcore.training.resume_settings import has_run, stored_settings

_METAVARS = {int: "NUMBER", float: "NUMBER", str: "TEXT"}


Command = Callable[..., None]


def with_flags_of(kind: type[Settings], leave_out: Collection[str]) -> Callable[[Command], Command]:
    """A decorator: the command has a flag for each setting of `kind` besides its own parameters.

    It gets them as the dict `flags`; a flag that is not given is None.
    `leave_out`: settings that the command has arguments of its own for, or has no use for.
    """
    parameters = [_parameter(each) for each in settings_of(kind) if each.name not in leave_out]
    return lambda command: with_parameters(command, "flags", parameters, dict)


def with_parameters(
    command: Command, name: str, parameters: Sequence[inspect.Parameter], gather: Callable[..., Any]
) -> Command:
    """The command with these parameters in place of its own one called `name`, which gets `gather(**parameters)`."""
    signature = inspect.signature(command, eval_str=True)
    own = [[each] if each.name != name else parameters for each in signature.parameters.values()]

    def run(**given: Any) -> None:
        gathered = gather(**{each.name: given.pop(each.name) for each in parameters})
        command(**given, **{name: gathered})

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature([one for each in own for one in each])  # type: ignore[attr-defined]
    return run


def run_and_settings(
    kind: type[SomeRunOptions], recipe: Path | None, out: Path | None, resume: bool, name: str | None
) -> tuple[Path, SomeRunOptions, bool]:
    """The run folder, the settings before flags are applied, and whether the folder holds a run to resume.

    Without --out the folder is named by the date and `name`, or the recipe's name.
    """
    options = kind.from_file(recipe) if recipe else kind()
    run = out or runs_folder() / f"{time.strftime('%Y-%m-%d')}-{name or options.name}"
    args.checked_text("out", str(run))  # the libraries that write it take no other names
    if resume and has_run(run):
        return run, stored_settings(kind, run, recipe), True
    return run, options, False


def _parameter(setting: Setting) -> inspect.Parameter:
    name = setting.name.replace("_", "-")
    flag = f"--{name}/--no-{name}" if setting.kind is bool else f"--{name}"
    metavar = "|".join(setting.choices) or _METAVARS.get(setting.kind)
    flags = [flag, "--vocabulary-size"] if name == "vocab-size" else [flag]
    option = typer.Option(*flags, help=_help(setting), metavar=metavar, show_default=False)
    annotation: Any = Annotated[cast(Any, setting.kind) | None, option]
    return inspect.Parameter(setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _help(setting: Setting) -> str:
    unit = f", in {setting.unit}" if setting.unit else ""
    if setting.default is True:
        return f"{setting.help} (on by default)."
    if setting.default is None or setting.default is False or setting.default == "":
        return f"{setting.help}{unit}."
    default = setting.default if isinstance(setting.default, str) else plain_number(setting.default)
    return f"{setting.help}{unit} (default {default})."
