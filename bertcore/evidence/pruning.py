"""What would be lost: heads or layers taken out one after the other, the least important first, beside random orders.

Michel, Levy and Neubig 2019 ("Are Sixteen Heads Really Better than One?", section 4), with what a part adds on average
in its place, not zeros. R rows, L layers, N heads, D head size, H hidden, K steps.
"""

import copy
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product, takewhile
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis.interventions import Values, ablate, ablated_points
from bertcore.analysis.trace import mean_activations
from bertcore.errors import BertcoreError
from bertcore.evidence.intervals import Interval, halves, ratio_intervals
from bertcore.evidence.scoring import Answers, Scored
from bertcore.evidence.shards import Arrays, Shard, summed
from bertcore.model.bert import Bert
from bertcore.progress import ReportProgress, no_progress, part_of
from bertcore.table import Table

RANDOM_ORDERS = 20
Part = Literal["head", "layer"]


@dataclass(frozen=True, eq=False, repr=False)
class Pruning(Table):
    """The loss with ever fewer heads or layers, chosen on one half of the rows and measured on the other."""

    name: str
    sha256: str
    seed: int
    part: Part
    order: list[Any]  # (layer, head), or layers, from 0; the least important first
    importance: NDArray[np.float64]  # (L,N), or (L): what the loss gains without it, on the half that was chosen on
    steps: list[int]  # (K) how many are out
    loss: list[Interval]  # (K) mean loss of an answer
    right: list[Interval]  # (K) share right
    random_loss: NDArray[np.float64]  # (orders,K)
    random_right: NDArray[np.float64]  # (orders,K)
    always: str  # the answer that is right most often on the one half ...
    always_right: float  # ... and how often it is on the other
    means: Values  # what is added in place of a part that is out

    def rows(self) -> list[dict[str, Any]]:
        rows = []
        for step, off in enumerate(self.steps):
            row: dict[str, Any] = {f"{self.part}s_off": off}
            for name, own, chance in (("loss", self.loss, self.random_loss), ("right", self.right, self.random_right)):
                row |= {f"{name}_{key}": value for key, value in vars(own[step]).items()}
                row[f"random_{name}"] = float(chance[:, step].mean())
            rows.append(row | {"always_right": self.always_right})
        return rows

    def free(self, most: float = 0.02) -> int:
        """How many can go before the loss is higher by more than this share."""
        limit = self.loss[0].value * (1 + most)
        kept = sum(1 for _ in takewhile(lambda loss: loss.value <= limit, self.loss[1:]))
        return self.steps[kept]

    def pruned(self, model: Bert, count: int) -> Bert:
        """A copy of the model without the `count` least important parts, to save and to open anywhere."""
        off = self.order[:count]
        return pruned(model, off if self.part == "head" else (), self.means, off if self.part == "layer" else ())


def prune(
    scored: Scored,
    part: Part = "head",
    *,
    means: Values | None = None,
    seed: int = 0,
    random_orders: int = RANDOM_ORDERS,
    random_every: int = 1,
    shard: Shard | None = None,
    progress: ReportProgress = no_progress,
) -> Pruning:
    """Importance is the loss without a part alone; `means` are what is added instead, by hook point; absent, what is
    added on average on the half that is chosen on. random_every: random orders are measured at every so many of the
    steps, and are NaN between them. Raises BertcoreError where there are fewer than four rows.

    Shards share each part alone, and the random orders, which are 19 passes of 20; that order which follows from all of
    them is tried by whoever joins them, and a shard has no steps.
    """
    if len(scored) < 4:
        raise BertcoreError(f"{scored.name} has {len(scored)} rows, too few for two halves; give four or more.")
    config, rows, shard = scored.checkpoint.config, len(scored), shard or Shard()
    shape = (config.num_hidden_layers, config.num_attention_heads)[: 2 if part == "head" else 1]
    parts: list[Any] = list(product(*map(range, shape))) if part == "head" else list(range(*shape))
    choose, measure = halves(rows, seed)
    if means is None:
        texts, points = scored.texts(), ablated_points(parts) if part == "head" else ablated_points((), parts)
        means = mean_activations(scored.checkpoint.model, [texts[row] for row in choose], points)
    steps = sorted({round(share * len(parts)) for share in np.linspace(0, 1, min(len(parts), 16) + 1)})
    chance = np.random.default_rng([seed, 1])
    orders = [[parts[at] for at in chance.permutation(len(parts))] for _ in range(random_orders)]
    alone = [[], *([each] for each in parts)]
    places = list(range(random_every, len(steps) - 1, random_every))  # where none or all are out, order is nothing
    by_chance = [order[: steps[place]] for order in orders for place in places]
    share = len(steps) / (len(steps) + len(alone) + len(by_chance))  # of the work, for whoever joins

    def answers(offs: Sequence[Sequence[Any]], of: NDArray, step: ReportProgress) -> Iterator[Answers]:
        """With some parts out, for each of `offs`."""
        for done, off in enumerate(offs if len(of) else ()):
            changes = ablate(off if part == "head" else (), off if part == "layer" else (), means) if off else None
            yield scored.answers(changes, of, part_of(step, done / len(offs), 1 / len(offs)))

    def lost(block: range, step: ReportProgress) -> Arrays:
        """(.,3) sums of the loss, of right answers, and how many there are: of each alone, and of random orders."""
        both = {"alone": (alone, choose), "by_chance": (by_chance, measure)}
        found = {name: np.zeros((len(offs), 3)) for name, (offs, _) in both.items()}
        for name, (offs, half) in both.items():
            begin, size = (0.0, 0.3) if name == "alone" else (0.3, 0.7)
            said = answers(offs, np.intersect1d(half, block), part_of(step, begin, size))
            for at, each in enumerate(said):
                found[name][at] = each.by_row(rows).sum(axis=0)
        return found

    asked = "prune", part, scored.sha256, str(seed), str(random_orders), str(random_every)
    sums = shard.over(scored.checkpoint, asked, rows, lost, part_of(progress, 0.0, 1 - share), join=summed)
    loss_alone = sums["alone"][:, 0] / np.maximum(sums["alone"][:, 2], 1)
    order = [parts[at] for at in np.argsort(loss_alone[1:], kind="stable")]
    about = scored.name, scored.sha256, seed, part, order, (loss_alone[1:] - loss_alone[0]).reshape(shape)
    if shard.is_part:
        return Pruning(*about, [], [], [], np.empty((0, 0)), np.empty((0, 0)), "", math.nan, means)
    tried = list(answers([order[:count] for count in steps], measure, part_of(progress, 1 - share, share)))
    by_row = np.stack([each.by_row(rows)[measure] for each in tried])  # (K,R,3)
    loss, right = (ratio_intervals(by_row[..., number].T, by_row[0, :, 2], seed) for number in (0, 1))
    random = np.full((random_orders, len(steps), 2), np.nan)
    random[:, places] = (sums["by_chance"][:, :2] / sums["by_chance"][:, 2:]).reshape(random_orders, len(places), 2)
    random[:, [0, -1]] = [(each.loss.mean(), each.is_right.mean()) for each in (tried[0], tried[-1])]
    ((always, _),) = Counter(next(answers([[]], choose, no_progress)).right).most_common(1)
    often = float(np.mean([each == always for each in tried[0].right]))
    return Pruning(*about, steps, loss, right, random[..., 0], random[..., 1], always, often, means)


@torch.no_grad()
def pruned(model: Bert, off: Sequence[tuple[int, int]], means: Values, layers_off: Sequence[int] = ()) -> Bert:
    """A copy in which these heads and layers add what they add on average, whatever the text: the same numbers as with
    them off, and a checkpoint that opens everywhere.

    The columns of the output projection that read a head become 0, and what they made of its mean goes to the bias; of
    a layer both projections become 0 and their biases the mean. Raises BertcoreError where layers share their weights.
    """
    if model.config.layer_groups < model.config.num_hidden_layers:
        raise BertcoreError("The layers of this model share their weights, so that no part can be taken out of one.")
    smaller = copy.deepcopy(model)
    for number, head in off:
        attention = smaller.encoder.layer(number).attention
        columns = slice(head * attention.head_size, (head + 1) * attention.head_size)
        weight, bias = attention.output.weight, attention.output.bias
        bias.add_(weight[:, columns] @ weight.new_tensor(np.asarray(means[ablated_points([(number, head)])[0]])[head]))
        weight[:, columns] = 0
    for number in layers_off:
        layer = smaller.encoder.layer(number)
        for point, part in zip(
            ablated_points((), [number]), (layer.attention.output, layer.feed_forward_out), strict=True
        ):
            part.weight.zero_()
            part.bias.copy_(part.weight.new_tensor(np.asarray(means[point])))
    return smaller
