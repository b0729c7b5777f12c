"""What would be lost: heads taken out one after the other, the least important first, beside random orders.

Michel, Levy and Neubig 2019 ("Are Sixteen Heads Really Better than One?", section 4), with what a head adds on average
in its place, not zeros. R rows, L layers, N heads, D head size, K steps.
"""

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.interventions import Head, Values, ablate
from bertcore.evidence.intervals import Interval, halves, ratio_interval
from bertcore.evidence.scoring import Answers, Scored
from bertcore.model.bert import Bert
from bertcore.model.hooks import Changes
from bertcore.progress import ReportProgress, no_progress, part_of
from bertcore.table import Table

RANDOM_ORDERS = 20


@dataclass(frozen=True, eq=False, repr=False)
class Pruning(Table):
    """The loss with ever fewer heads, chosen on one half of the rows and measured on the other."""

    name: str
    sha256: str
    seed: int
    order: list[Head]  # from 0; the least important first
    importance: NDArray[np.float64]  # (L,N) what the loss gains without the head, on the half that was chosen on
    steps: list[int]  # (K) how many heads are out
    loss: list[Interval]  # (K) mean loss of an answer
    right: list[Interval]  # (K) share right
    random_loss: NDArray[np.float64]  # (RANDOM_ORDERS,K)
    random_right: NDArray[np.float64]  # (RANDOM_ORDERS,K)
    always: str  # the answer that is right most often ...
    always_right: float  # ... and how often it is

    def rows(self) -> list[dict[str, Any]]:
        chance = self.random_loss.mean(axis=0), self.random_right.mean(axis=0)
        return [
            {
                "heads_off": off,
                **{f"loss_{name}": value for name, value in vars(loss).items()},
                **{f"right_{name}": value for name, value in vars(right).items()},
                "random_loss": float(random_loss),
                "random_right": float(random_right),
                "always_right": self.always_right,
            }
            for off, loss, right, random_loss, random_right in zip(
                self.steps, self.loss, self.right, *chance, strict=True
            )
        ]

    def free(self, most: float = 0.02) -> int:
        """How many heads can go for at most this share of the loss."""
        whole = self.loss[0].value
        return max(off for off, loss in zip(self.steps, self.loss, strict=True) if loss.value <= whole * (1 + most))


def prune_heads(
    scored: Scored,
    means: Values,
    *,
    seed: int = 0,
    random_orders: int = RANDOM_ORDERS,
    progress: ReportProgress = no_progress,
) -> Pruning:
    """`means`: what to add in place of a head that is off, by hook point (`LoadedModel.mean_activations`)."""
    config = scored.checkpoint.config
    shape = config.num_hidden_layers, config.num_attention_heads
    heads = [(layer, head) for layer in range(shape[0]) for head in range(shape[1])]
    choose, measure = halves(len(scored), seed)
    steps = steps_of(len(heads))
    total = len(heads) + (1 + random_orders) * len(steps)
    done = 0

    def losses(off: Iterable[Head], rows: NDArray) -> Answers:
        nonlocal done
        found = scored.answers(_without(off, means), rows, part_of(progress, done / total, 1 / total))
        done = min(done + 1, total)
        return found

    whole = scored.answers(None, choose).loss.mean()
    importance = np.array([losses([head], choose).loss.mean() - whole for head in heads]).reshape(shape)
    ranked = [heads[at] for at in np.argsort(importance, axis=None, kind="stable").tolist()]
    found = [losses(ranked[:count], measure) for count in steps]
    rows = len(scored)
    loss = [ratio_interval(*each.by_row(each.loss, rows), seed=seed) for each in found]
    right = [ratio_interval(*each.by_row(each.is_right.astype(float), rows), seed=seed) for each in found]
    chance = np.random.default_rng([seed, 1])
    random_loss, random_right = np.empty((random_orders, len(steps))), np.empty((random_orders, len(steps)))
    for number in range(random_orders):
        shuffled = [heads[at] for at in chance.permutation(len(heads)).tolist()]
        for step, count in enumerate(steps):
            said = found[step] if count in (0, len(heads)) else losses(shuffled[:count], measure)
            random_loss[number, step], random_right[number, step] = said.loss.mean(), said.is_right.mean()
    progress(1.0)
    always = scored.baseline()
    share = float(np.mean([each == always for each in found[0].right]))
    about = scored.name, scored.sha256, seed
    return Pruning(*about, ranked, importance, steps, loss, right, random_loss, random_right, always, share)


def steps_of(heads: int) -> list[int]:
    """How many heads are out at each step: all numbers of a small model, some 16 of a large one."""
    return sorted({round(share * heads) for share in np.linspace(0, 1, min(heads, 16) + 1)})


def _without(off: Iterable[Head], means: Values) -> Changes | None:
    chosen = list(off)
    return ablate(chosen, values=means) if chosen else None


@torch.no_grad()
def pruned(model: Bert, off: Sequence[Head], means: Values) -> Bert:
    """A copy in which these heads add what they add on average, whatever the text: the same numbers as with the heads
    off, and a checkpoint that opens everywhere.

    The columns of the output projection that read a head become 0, and what they made of its mean goes to the bias.
    """
    smaller = copy.deepcopy(model)
    for layer, head in off:
        attention = smaller.encoder.layer(layer).attention
        columns = slice(head * attention.head_size, (head + 1) * attention.head_size)
        weight, bias = attention.output.weight, attention.output.bias
        mean = weight.new_tensor(np.asarray(means[f"layer.{layer}.attention.context_heads"])[head])  # (D)
        bias.add_(weight[:, columns] @ mean)
        weight[:, columns] = 0
    return smaller
