"""`python -m scripts.tour DIR [MODEL]`: starts the window offscreen and takes it through everything."""

import argparse
import os
from pathlib import Path


def main() -> None:
    options = _parser().parse_args()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from app.shell.program import build, leave
    from app.shell.window import Window

    from .walk import THEMES, run_tour

    themes = (options.theme,) if options.theme else THEMES
    services = build(themes[0], options.language, projector=options.projector, remembers=False)
    window = Window(services, options.what)
    leave(services, run_tour(window, options.folder, options.size, themes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.tour", description="A picture of every room.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the pictures go, and tour.json")
    parser.add_argument("what", nargs="?", metavar="MODEL", help="as `bertscope MODEL`; default: the built-in model")
    parser.add_argument("--theme", choices=("light", "dark", "contrast"), help="default: light and dark")
    parser.add_argument("--language", choices=("system", "en", "de"), help="default: the one used last")
    parser.add_argument("--size", type=_size, default=(1440, 900), metavar="WxH")
    parser.add_argument("--projector", action="store_true", help="in projector mode")
    return parser


def _size(text: str) -> tuple[int, int]:
    width, separator, height = text.partition("x")
    if not (separator and width.isdigit() and height.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size such as 1280x720")
    return int(width), int(height)


if __name__ == "__main__":
    main()
