"""Tokens of scripts that are written from right to left, in sentences that are not. No Qt."""

import unicodedata

LEFT_TO_RIGHT_MARK = "\u200e"


def isolated(token: str) -> str:
    """The token for a sentence: it keeps its own direction and leaves words and numbers beside it in their order.

    Without it, a number after the token would stand before it, and a sentence that begins with it would run backwards.
    """
    is_rtl = any(unicodedata.bidirectional(letter) in ("R", "AL") for letter in token)
    return f"{LEFT_TO_RIGHT_MARK}{token}{LEFT_TO_RIGHT_MARK}" if is_rtl else token


def plain(text: str) -> str:
    """Without the marks: for files."""
    return text.replace(LEFT_TO_RIGHT_MARK, "")
