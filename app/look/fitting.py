"""Texts cut to what a window can lay out, whoever wrote them.

A word that no line can hold makes its label, and with it the window, as wide as itself: 100,000 characters took 2.6 GB.
"""

import html
import re
from collections.abc import Callable

from bertcore.errors import printable, shortened

MOST_TIP = 2_000
MOST_RUN = 200  # characters without a place to break the line
MOST_LINE = 400  # characters of a text on one line
MOST_REFERENCE = 60
# After a sentence, though not after "e. g."; before a part that begins with a dot.
_WHOLE = re.compile(r"(?<=[^\s.]{3}[.!?])\s+(?=\S)|\s+(?=· )")
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


def whole_parts(text: str, fits: Callable[[str], bool]) -> str:
    """As many whole sentences, or parts between dots, from the beginning as fit; empty where the first does not."""
    ends = [len(text), *(found.start() for found in reversed(list(_WHOLE.finditer(text))))]
    return next((text[:end] for end in ends if fits(text[:end])), "")


def shown_reference(reference: str) -> str:
    """A model as a line of a menu; bytes that are no UTF-8, which Qt would leave out, as `\\udcff`."""
    reference = printable(reference)
    return reference if len(reference) <= MOST_REFERENCE else "…" + reference[-MOST_REFERENCE:]


def plain_tip(text: str) -> str:
    """A tool tip that shows a text as it is: Qt takes what looks like HTML for HTML, and loads the pictures in it."""
    text = fitting(shortened(text, MOST_TIP))
    return f"<qt>{html.escape(text).replace(chr(10), '<br>')}</qt>" if "<" in text else text
