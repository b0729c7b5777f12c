"""Qt counts characters in units of UTF-16."""

from __future__ import annotations


def in_utf_16(text: str, position: int) -> int:
    """Where Qt takes a character to stand: one outside the first plane counts for two."""
    return len(text[:position].encode("utf-16-le", "surrogatepass")) // 2
