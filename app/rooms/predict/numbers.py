"""Probabilities as a person reads them."""

from __future__ import annotations


def probability_text(probability: float) -> str:
    """Two digits, three where it is small; what would round to nothing or to certain is said as less or more than."""
    if probability >= 0.995 and probability < 1:
        return "> 0.99"
    if probability < 0.0005:
        return "< 0.001"
    return f"{probability:.2f}" if probability >= 0.0995 else f"{probability:.3f}"


def percent(share: float) -> str:
    """Whole percents; never 100 % for what is less than certain."""
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{share * 100:.0f} %"


def signed(value: float, digits: int = 2) -> str:
    """With its sign, and a real minus; what rounds to nothing has no sign."""
    text = f"{value:+.{digits}f}"
    return text.replace("-", "−") if float(text) else text[1:]
