"""Numbers as a person reads them: the one place that decides digits, minus sign, thousands and units.

    from app.look import numbers
    numbers.probability(0.0031)    "0.003"   alone, in a bar or a cell; "< 0.001" and "> 0.999" at the ends
    numbers.percent(0.0004)        "under 0.1%"   in a sentence: "p < 0.001" beside a word reads as a significance test
    numbers.percent(0.019, fine=True)   "1.9%"    of two that are compared: both would be "2%"
    numbers.difference(3.894, 5.378)    1.49      of the two as they are shown: 5.38 and 3.89
    numbers.surprise(6.97)         "6.97 bits"; in plain words "surprising"; `entropy` and `log_change` likewise
    numbers.decimal(-0.001)        "0.00"    fixed digits behind the point, never a negative zero
    numbers.signed(0.413)          "+0.41"   a change: with its sign; "0.00" has none
    numbers.number(0.041266)       "0.0413"  significant digits: norms, losses, ends of a scale
    numbers.rate(2e-5)             "0.00002"   a learning rate, so that those beside one another compare at a glance
    numbers.exact(-1.00148)        "−1.0015"   of a calculation: four digits behind the point, more for what is small
    numbers.count(12204)           "12,204"
    numbers.compact_count(5.41e6)  "5.4 M"
    numbers.duration(840)          "14 min"
    numbers.file_size(3_400_000)   "3.4 MB"

None, or what is not a finite number, is shown as MISSING.
"""

import math
import re
from dataclasses import dataclass

from .say import say


@dataclass(frozen=True)
class NumberStyle:
    """How a language writes numbers."""

    point: str
    thousands: str
    percent: str  # after the number

    def write(self, text: str) -> str:
        """An English number as this language writes it."""
        return text.translate({ord("."): self.point, ord(","): self.thousands})


ENGLISH = NumberStyle(".", ",", "%")
GERMAN = NumberStyle(",", ".", "\u202f%")  # a narrow space that no line breaks at
_style = ENGLISH
_is_technical = True  # what the window sets: see `set_technical`
MISSING = "–"
HUGE = 1e6  # from here on with an exponent: the loss of a run that diverges
LEAST_RATE = 1e-6  # learning rates below it have an exponent
MINUS = "\u2212"
THIN = "\u2009"  # a thin space, before a unit: 12 s


def set_style(style: NumberStyle) -> None:
    """What `language.install` calls."""
    global _style
    _style = style


def set_technical(is_on: bool) -> None:
    """How probabilities, entropy, surprise and changes are written: 0.29, nats and bits, or percent and words."""
    global _is_technical
    _is_technical = is_on


def is_technical() -> bool:
    return _is_technical


def probability(p: float | None, *, fine: bool = False) -> str:
    """Two digits, three where it is small or nearly one; what is not 0 or 1 is never shown as 0 or 1.

    In plain words it is `percent`, which see for `fine`.
    """
    if not _is_technical:
        return percent(p, fine=fine)
    if p is None or not math.isfinite(p):
        return MISSING
    if 0 < p < 0.0005:
        return _style.write("< 0.001")
    if 0.9995 <= p < 1:
        return _style.write("> 0.999")
    return decimal(p, 3 if 0 < p < 0.0995 or 0.995 <= p < 1 else 2)


def percent(share: float | None, digits: int = 0, *, fine: bool = False) -> str:
    """Whole percents, one digit below 1% and above 99%; what is not 0% or 100% is never shown as that.

    digits: behind the point, for shares that lie close together. fine: beside another that it is compared with. Below
    10% it has two significant digits, so that small ones do not look the same, or their factor wrong.
    """
    if share is None or not math.isfinite(share):
        return MISSING
    if 0 < share < (0.001 if fine else 0.0005):
        return say("under 0.1%")
    if 0.9995 <= share < 1:
        return say("over 99.9%")
    if 0 < share < (0.0995 if fine else 0.0095) or 0.995 <= share < 1:
        digits = 2 if fine and share < 0.00995 else 1
    return f"{decimal(_half_up(100 * share, digits), digits)}{_style.percent}"


def _half_up(value: float, digits: int) -> float:
    """Rounded as at school: 62.5 is 63, not the even 62 of Python."""
    if abs(value) >= HUGE:
        return value
    return math.copysign(math.floor(round(abs(value) * 10**digits, 6) + 0.5) / 10**digits, value)


def percent_sign() -> str:
    """As it stands behind a number: "%"."""
    return _style.percent


def surprise(bits: float) -> str:
    """Of one word: "6.97 bits", or "very surprising"."""
    if _is_technical:
        return say("{bits} bits", bits=decimal(bits))
    if bits < 1:
        return say("expected")
    if bits < 4:
        return say("a little surprising")
    if bits < 7:
        return say("surprising")
    return say("very surprising")


def entropy(nats: float) -> str:
    """Of a head: "2.59 nats", or how many tokens an even look would go to."""
    if _is_technical:
        return say("{nats} nats", nats=decimal(nats))
    return say("about {count} tokens", count=decimal(math.exp(nats), 1))


def log_change(nats: float, digits: int = 2) -> str:
    """Of ln p: "+0.04 nats", or by what the probability is multiplied, "1.04 times as likely"."""
    if _is_technical:
        return say("ln p {change} nats", change=signed(nats, digits))
    return say("{factor} times as likely", factor=number(math.exp(nats)))


def log_factor(nats: float) -> str:
    """Of ln p, where there is room for a number only: "+0.04", or by what the probability is multiplied, "×1.04"."""
    return signed(nats) if _is_technical else f"×{number(math.exp(nats))}"


def decimal(value: float | None, digits: int = 2) -> str:
    """`digits` behind the point, thousands apart, with a real minus; what rounds to nothing has no sign. From a
    million on "2.54e8"."""
    if value is None or not math.isfinite(value):
        return MISSING
    if abs(value) >= HUGE:
        return _style.write(_short_exponent(f"{value:.2e}"))
    text = f"{value:,.{digits}f}"
    return _style.write(text.replace("-", MINUS if text.strip("-0.") else ""))


def signed(value: float | None, digits: int = 2) -> str:
    """`decimal` with a plus before what is above zero."""
    text = decimal(value, digits)
    return f"+{text}" if value is not None and value > 0 and text.strip("0.,") and text != MISSING else text


def difference(before: float, now: float, digits: int = 2) -> float:
    """Of the two as `decimal` shows them, so that a person who subtracts gets the same."""
    return round(round(float(now), digits) - round(float(before), digits), digits)


def exact(value: float | None) -> str:
    """Of a calculation, all in one format: four digits behind the point; what would be 0.0000 as "2.5e−5"."""
    is_small = value is not None and math.isfinite(value) and 0 < abs(value) < 0.00005
    return number(value) if is_small else decimal(value, 4)


def number(value: float | None, digits: int = 3, *, keeps_zeros: bool = False) -> str:
    """`digits` significant digits, and all before the point: "0.0413", "12,204", "2.5e−5".

    keeps_zeros: "0.250", not "0.25", for a column of numbers.
    """
    if value is None or not math.isfinite(value):
        return MISSING
    rounded = float(f"{value:.{digits}g}")
    if rounded == 0:
        return "0"
    if abs(rounded) >= 10**digits:
        return _style.write(f"{value:,.0f}".replace("-", MINUS))
    text = f"{value:#.{digits}g}".removesuffix(".") if keeps_zeros else f"{value:.{digits}g}"
    return _style.write(_short_exponent(text))


def rate(value: float | None, digits: int = 3) -> str:
    """A learning rate, to so many significant digits: "0.002", "0.00002"; below a millionth "7.35e−8"."""
    if value is None or not LEAST_RATE <= abs(value) < 1:
        return number(value, digits)
    places = digits - 1 - math.floor(math.log10(abs(value)))
    return _style.write(f"{value:.{places}f}".rstrip("0").rstrip(".").replace("-", MINUS))


def _short_exponent(text: str) -> str:
    """ "2.5e-05" as "2.5e−5"."""
    mantissa, e, exponent = text.partition("e")
    return (f"{mantissa}e{int(exponent)}" if e else mantissa).replace("-", MINUS)


def count(n: int | None) -> str:
    """A whole number with its thousands apart."""
    return MISSING if n is None else _style.write(f"{n:,}".replace("-", MINUS))


def compact_count(n: float | None) -> str:
    """Thousands and millions: "813", "13.7 k", "5.4 M"."""
    if n is None or not math.isfinite(n):
        return MISSING
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if n >= size * 0.9995:
            return _style.write(f"{n / size:.{0 if n >= 99.95 * size else 1}f}{THIN}{unit}")
    return f"{n:.0f}"


def duration(seconds: float | None) -> str:
    """ "40 s", "14 min", "2 h 5 min"."""
    if seconds is None or not math.isfinite(seconds):
        return MISSING
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f}{THIN}s"
    if minutes < 60:
        return f"{minutes}{THIN}min"
    return f"{minutes // 60}{THIN}h {minutes % 60}{THIN}min"


def file_size(size_bytes: float | None) -> str:
    """In megabytes or gigabytes: "0.4 MB", "12 MB", "1.3 GB"."""
    if size_bytes is None:
        return MISSING
    size, unit = (size_bytes / 1e9, "GB") if size_bytes >= 999.5e6 else (size_bytes / 1e6, "MB")
    return _style.write(f"{size:.{0 if size >= 9.95 else 1}f}{THIN}{unit}")


def read(text: str) -> float | None:
    """What a person typed as a number: "16,384", in German "16.384" and "0,5"; "46%" is 0.46, "3e-4" 0.0003. None: no
    number."""
    typed = text.replace(MINUS, "-").strip()
    if re.fullmatch(rf"[+-]?[1-9]\d{{0,2}}(?:{re.escape(_style.thousands)}\d{{3}})+", typed):
        return float(typed.replace(_style.thousands, ""))
    match = re.fullmatch(r"([+-]?\d{1,12}(?:[.,]\d{1,12})?(?:[eE][+-]?\d{1,2})?)\s*(%?)", typed)
    return None if match is None else float(match[1].replace(",", ".")) / (100 if match[2] else 1)
