"""Whether what one token looks at in one head counts: attention, its gradient, and links taken away."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.effects import attention_gradient, link_effects
from bertcore.analysis.interventions import ablate, check_heads, check_rows
from bertcore.analysis.passes import MAX_TOKENS, Text
from bertcore.analysis.targets import Target
from bertcore.model.bert import Bert
from bertcore.model.hooks import Intervention
from bertcore.progress import ReportProgress, no_progress, part_of


@dataclass(frozen=True, eq=False)
class HeadCheck:
    """Three views of a row of attention (S); numbers are of the target, in nats of its log probability."""

    attention: NDArray[np.float64]  # (S)
    gradient: NDArray[np.float64]  # (S) change per unit of attention, to first order
    without: NDArray[np.float64]  # (S) change without this one link; NaN where it was not worked out
    without_head: float  # change without the whole head
    value: float  # as it is


def check_head(
    model: Bert,
    text: Text,
    target: Target,
    layer: int,
    head: int,
    row: int,
    *,
    most_links: int,
    max_tokens: int = MAX_TOKENS,
    progress: ReportProgress = no_progress,
) -> HeadCheck:
    """One row of one head; the `most_links` strongest links are taken away, one at a time.

    Raises BertcoreError for a head or token that is not there.
    """
    check_heads([(layer, head)], model.config)
    check_rows([row], len(text))
    found = attention_gradient(model, text, target, layer)
    progress(0.1)
    attention = found.attention[head, row]  # (S)
    columns = sorted(np.argsort(-attention, kind="stable")[:most_links].tolist())
    without, part = np.full(len(attention), np.nan), part_of(progress, 0.1, 0.8)
    links = (model, text, target, layer, head, row, columns)
    without[columns] = link_effects(*links, max_tokens=max_tokens, progress=part)
    with torch.inference_mode():
        hidden = text.hidden(model, hook=Intervention(ablate([(layer, head)])))
        without_head = float(target.of(model, hidden)[0]) - found.value
    return HeadCheck(attention, found.gradient[head, row], without, without_head, found.value)
