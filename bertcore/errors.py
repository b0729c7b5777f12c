"""The one exception that a person sees, and what may stand in its sentence."""

import re

MOST_VALUE = 80  # characters of a value that a sentence quotes
MOST_NAME = 120  # characters of a name that came out of a file
MOST_SENTENCE = 2_000
# Control characters, which a terminal obeys; marks that turn the direction of the text; halves of a character.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class BertcoreError(Exception):
    """Something that the person can understand and act on.

    The message is one plain sentence that names the thing and says what to do; it is shown as it stands,
    in the shell (exit code 2) and in the window.
    """

    def __init__(self, message: str) -> None:
        super().__init__(shortened(printable(message), MOST_SENTENCE))


class UnreadableError(BertcoreError):
    """A file that could not be read just now: no permission, no memory, a disk that does not answer.

    It may be whole, so nothing may be done about it as if it were damaged.
    """


class AbsentError(BertcoreError, AttributeError):
    """An attribute that this object does not have, with the reason; `hasattr` is False."""


class CutOffWarning(UserWarning):
    """A number is of the beginning of a text alone, as the model cannot read all of it."""


def printable(text: str) -> str:
    """The text with control characters spelled out (`\\x1b`): a name in a file must not command the terminal."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def shortened(text: str, most: int) -> str:
    """At most so many characters: the beginning, …, and the end, where a sentence says what to do."""
    if len(text) <= most:
        return text
    end = most // 4
    return f"{text[: most - end - 3]} … {text[-end:]}"


def name_from_file(value: object, otherwise: str = "") -> str:
    """What a file gives as the name of something, fit to be shown in a line."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return shortened(printable(text), MOST_NAME) or otherwise


def brief(value: object) -> str:
    """A value as Python writes it, cut short, for a sentence."""
    text = repr(value[: 2 * MOST_VALUE] if isinstance(value, str | bytes) else value)
    return text if len(text) <= MOST_VALUE else f"{text[: MOST_VALUE - 4]} ..."
