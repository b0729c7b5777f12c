"""Texts cut to what a window can lay out, whoever wrote them.

A word that no line can hold makes its label, and with it the window, as wide as itself: 100,000 characters took 2.6 GB.
"""

import html
import re

from bertcore.errors import shortened

MOST_TIP = 2_000
MOST_RUN = 200  # characters without a place to break the line
MOST_LINE = 400  # characters of a text on one line
# Between most characters of Chinese, Japanese and Korean a line may break.
_ENDLESS = re.compile(rf"[^\s\u2e80-\ud7ff\uf900-\uffef\U00020000-\U0003ffff]{{{MOST_RUN + 1},}}")


def fitting(text: str) -> str:
    """The text with each word of more than MOST_RUN characters cut to that length, with … as its last."""
    if len(text) <= MOST_RUN:
        return text
    return _ENDLESS.sub(lambda found: f"{found[0][: MOST_RUN - 1]}…", text)


def fitting_line(text: str) -> str:
    """For a text on a single line, which is never broken."""
    return fitting(text if len(text) <= MOST_LINE else f"{text[: MOST_LINE - 1]}…")


def plain_tip(text: str) -> str:
    """A tool tip that shows a text as it is: Qt takes what looks like HTML for HTML, and loads the pictures in it."""
    text = fitting(shortened(text, MOST_TIP))
    return f"<qt>{html.escape(text).replace(chr(10), '<br>')}</qt>" if "<" in text else text
