"""What the line at the bottom says of a reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.state.readings import Reading

if TYPE_CHECKING:
    from bertcore.tokenizer.tokenizer import Encoding


def facts_about(reading: Reading, draw_ms: float, verified: str = "") -> str:
    """verified: what the check of the values stored with the model gave."""
    encoding, model = reading.encoding, reading.request.model
    masks = f" · {len(reading.request.masked)} masked" if reading.request.masked else ""
    family = "" if model.family == "BERT" else f"{model.family}      "
    return (
        f"{family}{len(encoding)} tokens · {_counts(encoding, model.has_segments)}{masks}      "
        f"forward {reading.forward_ms:.1f} ms · drawn {draw_ms:.1f} ms      CPU · fp32"
        f"{' · ' if verified else ''}{verified}"
    )


def _counts(encoding: Encoding, has_segments: bool) -> str:
    """How many tokens are of A and of B; without segments, special tokens are of neither."""
    if encoding.text_b is None:
        return "one sentence"
    if has_segments:
        return f"segment A {encoding.segments.count(0)} · segment B {encoding.segments.count(1)}"
    return f"sentence A {encoding.parts.count('a')} · sentence B {encoding.parts.count('b')}"
