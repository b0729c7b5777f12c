"""Starts BERTscope: arguments, the order of imports, QApplication, the first window."""

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn

CLOSE_S = 5.0  # what the worker gets to come to the end of what it is at, once the window is gone
TOUR_WITHOUT_DISPLAY = Path("build") / "tour"


def main(arguments: list[str] | None = None) -> int:
    """`bertscope [MODEL] [--tour DIR] [--theme NAME]` or `bertscope lesson check`; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["lesson"]:
        return _lesson(arguments[1:])
    options = _parser().parse_args(arguments)
    if options.tour is None and not has_display():
        print(f"No display found: rendering the tour to {TOUR_WITHOUT_DISPLAY.as_posix()} instead.")
        options.tour = TOUR_WITHOUT_DISPLAY
    if options.tour is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if sys.platform == "win32":
        import torch  # noqa: F401  on Windows torch's libraries must be loaded before Qt's

    _run(options)


def _lesson(arguments: list[str]) -> int:
    """`bertscope lesson check`: needs no window. A model folder of that name is opened as ./lesson."""
    if sys.platform == "win32":
        import torch  # noqa: F401  before Qt, as above

    from .shell.lesson_command import main

    return main(arguments)


def has_display() -> bool:
    """False on a Linux without a display server, where Qt could not open a window."""
    variables = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in variables)


def _run(options: argparse.Namespace) -> NoReturn:
    from PySide6.QtWidgets import QApplication

    from .compute.preload import preload_torch
    from .look import language, theme
    from .look.fonts import register_fonts
    from .shell.leaving import leave
    from .shell.services import build_services
    from .shell.window import Window

    app = QApplication([sys.argv[0]])
    app.setApplicationName("BERTscope")
    app.setStyle("Fusion")
    preload_torch()  # after Qt's own libraries: the system loads one at a time
    register_fonts()
    services = build_services(app, remembers=options.tour is None)
    settings = services.settings
    settings.language = options.language or settings.language
    language.install(app, language.chosen(settings.language))
    settings.theme = options.theme or settings.theme
    if options.tour is not None:
        settings.projector = options.projector
    scale = theme.PROJECTOR_SCALE if settings.projector else 1.0
    theme.apply(app, theme.resolved(settings.theme), scale)
    window = Window(services, options.what)
    if options.tour is not None:
        from .shell.tour import THEMES, run_tour

        looks = (options.theme,) if options.theme else THEMES
        code = run_tour(window, options.tour, options.size, looks)
    else:
        from .shell.recovery import Recovery

        recovery = Recovery(window)
        window.first_painted.connect(recovery.start)
        window.first_painted.connect(window.fit_screen)
        window.first_painted.connect(window.lessons.offer_tour)
        window.fit_screen()
        window.show()
        code = app.exec()
        recovery.close()
    leave(app if services.close(CLOSE_S) else None, code)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bertscope", description="A microscope for BERT.")
    parser.add_argument(
        "what",
        nargs="?",
        metavar="MODEL",
        help="checkpoint folder, run folder or hub id, or a saved session; default: the built-in model",
    )
    parser.add_argument(
        "--tour", type=Path, metavar="DIR", help="write a picture of every room to DIR, without a display"
    )
    parser.add_argument(
        "--theme",
        choices=("light", "dark", "contrast"),
        help="default: the one used last, or as the system is set; for a tour light and dark",
    )
    parser.add_argument("--language", choices=("system", "en", "de"), help="default: the one used last")
    parser.add_argument("--size", type=_size, default=(1440, 900), metavar="WxH", help="size of the tour's pictures")
    parser.add_argument("--projector", action="store_true", help="draw the tour's pictures in projector mode")
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


def _size(text: str) -> tuple[int, int]:
    width, separator, height = text.partition("x")
    if not (separator and width.isdigit() and height.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 1280x720")
    return int(width), int(height)


if __name__ == "__main__":
    sys.exit(main())
