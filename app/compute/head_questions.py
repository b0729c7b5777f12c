"""What a person asks about heads and one prediction: which matter, and whether what one looks at counts.

Importable without torch: the window names its targets on its own thread, and has the answers worked out on another.
Positions, layers and heads count from 0. L layers, N heads, S tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from bertcore.analysis.targets import Target
    from bertcore.checkpoint.checkpoint import Checkpoint

INTERACTIVE_TOKENS = 1024  # in one batch: what is more urgent waits no longer than for this
Step = Callable[[float], object]  # share done, 0..1; may raise to end the work
Predicted = Literal["word", "next_sentence", "sentence_order"]


@dataclass(frozen=True)
class HeadTarget:
    """One prediction: the log probability (nats) of a word at a masked place, or of a verdict on the pair."""

    kind: Predicted
    label: str  # as a person should see it
    position: int = 0  # of the masked token
    token_id: int = 0  # of the word

    def target(self) -> Target:
        """For the analyses; needs torch."""
        from bertcore.analysis.targets import pair_target, word_target

        if self.kind == "word":
            return word_target(self.position, self.token_id)
        return pair_target("nsp" if self.kind == "next_sentence" else "sop")


@dataclass(frozen=True)
class AskedText:
    """What the model reads (S)."""

    input_ids: Sequence[int]
    segments: Sequence[int]
    positions: Sequence[int] | None = None


@dataclass(frozen=True, eq=False)
class HeadCheck:
    """Three views of what one token looks at in one head; numbers in nats of the target's log probability."""

    attention: NDArray[np.float64]  # (S)
    gradient: NDArray[np.float64]  # (S) change of ln p per unit of attention, to first order
    without: NDArray[np.float64]  # (S) change of ln p without this one link; NaN where it was not worked out
    head_gradient: NDArray[np.float64]  # (S,S) the gradient for all rows
    without_head: float  # change of ln p without the whole head
    value: float  # ln p as it is


def effects_of_heads(checkpoint: Checkpoint, text: AskedText, target: HeadTarget, step: Step) -> NDArray[np.float64]:
    """(L,N): change of ln p in nats when each head alone is switched off (`ablation.head_effects`)."""
    from bertcore.analysis.ablation import head_effects

    batches = 0
    heads, length = checkpoint.config.num_attention_heads, len(text.input_ids)
    in_layer = -(-heads // max(1, INTERACTIVE_TOKENS // length))
    total = in_layer * checkpoint.config.num_hidden_layers

    def between() -> None:
        nonlocal batches
        batches += 1
        step(min(batches / total, 1.0))

    found = head_effects(
        checkpoint.model,
        text.input_ids,
        text.segments,
        target.target(),
        position_ids=text.positions,
        max_tokens=INTERACTIVE_TOKENS,
        between=between,
    )
    return found.effect


def check_head(
    checkpoint: Checkpoint,
    text: AskedText,
    target: HeadTarget,
    layer: int,
    head: int,
    row: int,
    step: Step,
    *,
    most_links: int = 64,
) -> HeadCheck:
    """Attention, gradient and removal for one row of one head; removal for the `most_links` strongest links.

    Raises BertcoreError for a head or token that is not there.
    """
    from bertcore.analysis.attention_gradient import attention_gradient, link_effects
    from bertcore.analysis.interventions import check_heads, check_rows

    check_heads([(layer, head)], checkpoint.config)
    check_rows([row], len(text.input_ids))
    arguments = (checkpoint.model, text.input_ids, text.segments, target.target(), layer)
    found = attention_gradient(*arguments, position_ids=text.positions)
    step(0.1)
    attention = found.attention[head, row]  # (S)
    columns = sorted(np.argsort(-attention, kind="stable")[:most_links].tolist())
    without = np.full(len(attention), np.nan)
    without[columns] = link_effects(
        *arguments,
        head,
        row,
        columns,
        position_ids=text.positions,
        max_tokens=INTERACTIVE_TOKENS,
        between=lambda share: step(0.1 + 0.8 * share),
    )
    without_head = _without_head(checkpoint, text, target, layer, head) - found.value
    return HeadCheck(attention, found.gradient[head, row], without, found.gradient[head], without_head, found.value)


def _without_head(checkpoint: Checkpoint, text: AskedText, target: HeadTarget, layer: int, head: int) -> float:
    import torch

    from bertcore.analysis.interventions import switch_off_heads
    from bertcore.analysis.passes import as_text
    from bertcore.model.tap import Intervention

    asked = target.target()
    with torch.inference_mode():
        read = as_text(checkpoint.model, text.input_ids, text.segments, text.positions)
        hidden = read.hidden(checkpoint.model, tap=Intervention(switch_off_heads([(layer, head)])))
        return float(asked.of(checkpoint.model, hidden)[0])


def flow_matrix(attentions: NDArray, layers: int, step: Step, *, most_tokens: int = 64) -> NDArray[np.float64]:
    """Attention flow of every token after the first `layers` layers, (L,N,S,S) -> (S,S) (`flow.attention_flow`).

    Raises BertcoreError for more than `most_tokens` tokens: each pair is a problem of its own, and they grow fast.
    """
    from bertcore.analysis.flow import attention_flow

    length = attentions.shape[-1]
    if length > most_tokens:
        raise BertcoreError(
            f"Flow is worked out for texts of up to {most_tokens} tokens; this one has {length}. Rollout has no limit."
        )
    rows = []
    for output in range(length):
        rows.append(attention_flow(attentions, [output], layers)[0])
        step((output + 1) / length)
    return np.stack(rows)


def gradient_of_layer(checkpoint: Checkpoint, text: AskedText, target: HeadTarget, layer: int) -> NDArray[np.float64]:
    """(N,S,S): the gradient of ln p with respect to a layer's attention (`attention_gradient`)."""
    from bertcore.analysis.attention_gradient import attention_gradient

    found = attention_gradient(
        checkpoint.model, text.input_ids, text.segments, target.target(), layer, position_ids=text.positions
    )
    return found.gradient
