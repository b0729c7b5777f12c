"""Arguments and options that several commands take, what their texts must be, and a flag for each field of settings."""

import inspect
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from bertcore.errors import BertcoreError
from bertcore.settings import Setting, Settings, plain_number, settings_of

if TYPE_CHECKING:
    from bertcore.loaded_model import LoadedModel

Command = Callable[..., None]
_METAVARS = {int: "NUMBER", float: "NUMBER", str: "TEXT", "tokenizer": "MODEL", "teacher": "MODEL", "dev": "FILE"}


def refuse_folder(file: Path | None) -> Path | None:
    """Before minutes of work: a folder cannot be written as a file. Raises BertcoreError."""
    if file is not None and (file.is_dir() or not file.name):
        raise BertcoreError(f"{file} is a folder; give --out the name of a file.")
    return file


def written(metavar: str, help: str) -> Any:
    """The option --out, of a file."""
    return typer.Option("--out", metavar=metavar, help=help, callback=refuse_folder)


Model = Annotated[
    str | None,
    typer.Argument(
        metavar="[MODEL]",
        help="Checkpoint folder, run folder (its newest snapshot) or hub id; default: the built-in model.",
        show_default=False,
    ),
]
TextA = Annotated[str, typer.Option("--a", metavar="TEXT", help="The sentence, or sentence A of a pair.")]
TextB = Annotated[str | None, typer.Option("--b", metavar="TEXT", help="Sentence B.", show_default=False)]
ColumnText = Annotated[str | None, typer.Option("--text", metavar="COLUMN", help="Column with the text.")]
ColumnTextB = Annotated[str | None, typer.Option("--text-b", metavar="COLUMN", help="Column with text B.")]
ColumnLabel = Annotated[str | None, typer.Option("--label", metavar="COLUMN", help="Column with the label or answer.")]
RecipeFile = Annotated[Path | None, typer.Option(help="A JSON file with any of the settings; flags override it.")]
OutFile = Annotated[Path | None, written("FILE", "Also write the result there, with the settings, as JSON.")]
JsonFile = Annotated[Path | None, written("FILE.json", "Also write the JSON there.")]
Wanted = Annotated[
    str | None,
    typer.Option(
        "--wanted",
        metavar="WORD",
        help="A word at [MASK], a label, a tag, start or end; default: the likeliest answer (of two texts: of each).",
    ),
]
Against = Annotated[
    str | None, typer.Option("--against", metavar="WORD", help="Another word or label, whose score is subtracted.")
]
OneDirection = Annotated[
    str | None,
    typer.Option(
        "--direction", metavar="left", help="left or right: no token looks at what stands on the other side of it."
    ),
]
Position = Annotated[
    int | None, typer.Option("--position", help="Token of the word, tag or answer; positions as shown by `tokenize`.")
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", help="Continue the run in --out, or start it. A budget given here replaces the run's own."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def opened(model: str | None, **how: Any) -> "LoadedModel":
    """As `bertcore.load`, which imports torch: a command that only shows its help does not wait for it."""
    from bertcore.loaded_model import load

    return load(model, **how)


def checked_text(name: str, text: str | None, required: bool = False) -> str | None:
    """A text argument that is valid Unicode and, where it must, says something."""
    if text is None:
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BertcoreError(f"The text of --{name} is not valid UTF-8.") from None
    if required and not text.strip():
        raise BertcoreError(f"The text of --{name} is empty; give a sentence.")
    return text


def texts(a: str, b: str | None) -> tuple[str, str | None]:
    """The texts of --a, which must say something, and --b."""
    text_a, text_b = checked_text("a", a, required=True), checked_text("b", b)
    assert text_a is not None
    return text_a, text_b


def with_flags_of(kind: type[Settings], leave_out: Collection[str]) -> Callable[[Command], Command]:
    """A decorator: the command has a flag for each setting of `kind` besides its own parameters.

    It gets them as the dict `flags`; a flag that is not given is None.
    `leave_out`: settings that the command has arguments of its own for, or has no use for.
    """
    parameters = [_parameter(each) for each in settings_of(kind) if each.name not in leave_out]
    return lambda command: with_parameters(command, "flags", parameters, dict)


def with_flags_from(name: str, gather: Callable[..., Any]) -> Callable[[Command], Command]:
    """A decorator: the command has the parameters of `gather` as flags, and gets as `name` what that makes of them."""
    flags = inspect.signature(gather, eval_str=True).parameters.values()
    keywords = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in flags]
    return lambda command: with_parameters(command, name, keywords, gather)


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


def _parameter(setting: Setting) -> inspect.Parameter:
    name = setting.name.replace("_", "-")
    flag = f"--{name}/--no-{name}" if setting.kind is bool else f"--{name}"
    metavar = "|".join(setting.choices) or _METAVARS.get(setting.name) or _METAVARS.get(setting.kind)
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
