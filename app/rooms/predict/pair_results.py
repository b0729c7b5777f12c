"""How often a model prefers the right sentence of a minimal pair: in all, and for each phenomenon."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...compute.text_scores import ScoredPairs
from ...figures.figure import Axis, Numbers
from ...look import numbers
from ...look.say import say
from ...widgets.charts.bars import Bar

if TYPE_CHECKING:
    from bertcore.evaluation.sets import Estimate


def share_right(right: Estimate) -> str:
    """With its standard error."""
    return f"{numbers.percent(right.value)} {_error(right)}".rstrip()


def _error(right: Estimate) -> str:
    """Nothing where all or none are right: the formula's 0 would promise what a few pairs cannot."""
    return f"± {numbers.percent(right.standard_error)}" if 0 < right.value < 1 else ""


def result_sentence(scored: ScoredPairs) -> str:
    pairs = scored.right.count
    text = say("It prefers the right sentence in {share} of %n pair(s); chance: 50%.", n=pairs)
    dotted = say("Dotted line: chance.") if any(scored.phenomena) else ""
    error = say(
        "±: the standard error, by how much the share would differ with other pairs of this kind; with all or none "
        "right it cannot be estimated."
    )
    return " ".join(part for part in (text.format(share=share_right(scored.right)), dotted, error) if part)


def phenomenon_bars(scored: ScoredPairs) -> list[Bar]:
    """The worst first."""
    return [
        Bar(
            name.replace("_", " "),
            numbers.percent(right.value),
            right.value,
            mark=_error(right),
            note=numbers.count(right.count),
        )
        for name, right in sorted(scored.phenomena.items(), key=lambda one: one[1].value)
    ]


def phenomenon_numbers(scored: ScoredPairs) -> Numbers:
    """(phenomena, 3)"""
    rights = scored.phenomena.values()
    values = np.array([[right.value, right.standard_error, right.count] for right in rights])
    axes = Axis("phenomenon", list(scored.phenomena)), Axis("measure", ["share right", "standard error", "pairs"])
    return Numbers(values, axes)
