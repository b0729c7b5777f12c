"""Starts BERTscope: arguments, the order of imports, the first window."""

import argparse
import os
import sys
from typing import NoReturn

NO_DISPLAY = "No display found. `bertcore` works without one; `make tour`, in a clone, draws every view into files."


def main(arguments: list[str] | None = None) -> int:
    """`bertscope [MODEL]`, `bertscope lesson check` or `bertscope preview VIEW`; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if sys.platform == "win32":
        import torch  # noqa: F401  on Windows torch's libraries must be loaded before Qt's
    # A model folder of one of these names is opened as ./lesson.
    if arguments[:1] == ["lesson"]:
        from .shell.lesson_command import main as check_lessons

        return check_lessons(arguments[1:])
    if arguments[:1] == ["preview"]:
        from .shell.preview import main as preview

        preview(arguments[1:])
    options = _parser().parse_args(arguments)
    if not has_display():
        print(NO_DISPLAY, file=sys.stderr)
        return 2
    _run(options)


def has_display() -> bool:
    """False on a Linux without a display server, where Qt could not open a window."""
    variables = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in variables)


def _run(options: argparse.Namespace) -> NoReturn:
    from PySide6.QtWidgets import QApplication

    from .shell.program import build, leave
    from .shell.recovery import Recovery
    from .shell.window import Window

    services = build(options.theme, options.language)
    window = Window(services, options.what)
    recovery = Recovery(window)
    for prepare in (recovery.start, window.fit_screen, window.lessons.offer_tour):
        window.first_painted.connect(prepare)
    window.fit_screen()
    window.show()
    code = QApplication.exec()
    recovery.close()
    leave(services, code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bertscope", description="A microscope for BERT.")
    parser.add_argument(
        "what",
        nargs="?",
        metavar="MODEL",
        help="checkpoint folder, run folder or hub id, or a saved session; default: the built-in model",
    )
    themes = ("light", "dark", "contrast")
    parser.add_argument("--theme", choices=themes, help="default: the one used last, or as the system is set")
    parser.add_argument("--language", choices=("system", "en", "de"), help="default: the one used last")
    parser.add_argument("--version", action=_ShowVersion)
    return parser


class _ShowVersion(argparse.Action):
    """As argparse's own, which would look the version up at every start."""

    def __init__(self, option_strings: list[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from bertcore.runs.environment import BERTSCOPE, version_of

        print(f"bertscope {version_of(BERTSCOPE) or '(not installed as a package)'}")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
