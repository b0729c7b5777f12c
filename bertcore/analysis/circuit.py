"""Which parts made an answer, and what told what: the difference between two texts, carried from part to part.

A part is the embeddings of the words, a head (its share of what attention adds), or a feed-forward network: with L
layers of N heads there are P = 1 + L*N + L of them. Two texts of the same number of tokens S differ in a target by d;
the share of d that is

- kept by a set of parts: they compute on this text, all others give what they give in the other one
  (Wang et al. 2023, "Interpretability in the Wild"; Conmy et al. 2023)
- lost by a part alone: 1 - what is kept by all parts but this
- lost by a link: its sender's output in the other text reaches the input of one receiver and nothing else. What stands
  between both stays as in this text, each LayerNorm is computed anew, and what comes after the receiver computes: path
  patching (Goldowsky-Dill et al. 2023)

The gradient screens links: their effect to first order, by one backward pass (Syed et al. 2023). It ranks them like the
exact numbers, but is none of them: what it chooses is measured.
Shares need not add up to 1. In a set of k parts the embeddings are always one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertcore.analysis.effects import SMALLEST_DIFFERENCE, check_patching
from bertcore.analysis.interventions import check_numbers
from bertcore.analysis.passes import MAX_TOKENS, Text, as_doubles, chunks
from bertcore.analysis.targets import Target
from bertcore.errors import BertcoreError
from bertcore.model.bert import Bert
from bertcore.model.hooks import Hook, Recorder, hidden_points
from bertcore.progress import ReportProgress, no_progress, part_of
from bertcore.table import Picture, Table, cells

Shares = NDArray[np.float64]
WORDS = 0  # the number of the embeddings among the parts
MOST_GREEDY = 43  # parts that are dropped one by one: of a larger model the others go first, all at once
MOST_LINKS = 1000  # that are measured: of a larger model those with the largest gradients
RANDOM_SETS = 100


class Part(NamedTuple):
    """Layers and heads count from 0."""

    kind: Literal["words", "head", "feed-forward", "answer"]
    layer: int = -1
    head: int = -1

    def __str__(self) -> str:
        where = {"head": f" {self.layer}.{self.head}", "feed-forward": f" {self.layer}"}
        return self.kind + where.get(self.kind, "")

    @property
    def time(self) -> int:
        """Parts reach those of a later time: embeddings, then the heads of a layer, then its feed-forward network."""
        return {"words": -1, "head": 2 * self.layer, "feed-forward": 2 * self.layer + 1}.get(self.kind, 10**6)


class Link(NamedTuple):
    sender: Part
    receiver: Part  # perhaps the answer
    lost: float  # share of the difference


@dataclass(frozen=True)
class Outcome:
    """What comes out at the target: of what it is about and, if it is a contrast, of the other."""

    value: float  # the target itself
    kept: float  # share of the difference
    probabilities: tuple[float, ...]  # one or two; none where the head gives a number


@dataclass(frozen=True, eq=False, repr=False)
class Circuit(Table):
    """How much of the difference between two texts parts and links carry: a set for this pair, not "the" circuit."""

    target: str  # the prediction, such as "her against his"
    tokens: list[str]  # (S)
    other_tokens: list[str]  # (S)
    parts: list[Part]  # (P)
    lost: Shares  # (P) by each part alone
    links: list[Link]  # that were measured, the largest first
    dropped: list[Part]  # the one that counts least first, never the embeddings; empty where the set was given
    curve: Shares  # (P) what is kept by k + 1 parts, the embeddings and those dropped last
    chosen: list[Part]  # the set that the rest is about
    outcomes: dict[str, Outcome]  # of the "text", of "only" these parts, "without" them, and of the "other" text
    reversed: float  # kept by the same parts where both texts change places
    random: Shares  # (RANDOM_SETS) kept by as many parts drawn at random

    def best(self, count: int) -> list[Part]:
        """The set of so many parts."""
        last = self.dropped[len(self.dropped) - count + 1 :]
        return [part for part in self.parts if part.kind == "words" or part in last]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each part; the layer of the embeddings is -1."""
        last = {part: place for place, part in enumerate(reversed(self.dropped), start=2)}
        return [
            {**part._asdict(), "lost": float(lost), "in_sets_from": last.get(part, 1), "chosen": part in self.chosen}
            for part, lost in zip(self.parts, self.lost, strict=True)
        ]

    def picture(self) -> Picture:
        """Heads and feed-forward networks as a map of what is lost without each."""
        heads = [part for part in self.parts if part.kind == "head"]
        layers, count = heads[-1].layer + 1, heads[-1].head + 1
        grid = np.concatenate([self.lost[1:-layers].reshape(layers, count), self.lost[-layers:, None]], axis=1)
        names = [f"layer {layer}" for layer in range(layers)], [*(f"head {n}" for n in range(count)), "feed-forward"]
        note = (
            f"{len(self.chosen)} of {len(self.parts)} parts keep {self.outcomes['only'].kept:.0%} of the difference: "
        )
        note += f"{', '.join(map(str, self.chosen))}. Best of {len(self.random)} random sets: {self.random.max():.0%}."
        return Picture(f"Parts that make {self.target}", cells(grid, *names, "of the difference", signed=True), note)


def find_circuit(
    model: Bert,
    text: Text,
    other: Text,
    target: Target,
    *,
    parts: int | Sequence[Part] = 10,
    links: int = MOST_LINKS,
    seed: int = 0,
    progress: ReportProgress = no_progress,
) -> dict[str, Any]:
    """The fields of a `Circuit` but its words. parts: how many, the embeddings among them; or which.

    links: how many are measured. Raises BertcoreError for parts that are not there, and as `PartPasses`.
    """
    passes = PartPasses(model, text, other, target)
    everything, lost = np.ones(len(passes.parts), dtype=bool), passes.lost(part_of(progress, 0.0, 0.1))
    found = passes.links(links, part_of(progress, 0.1, 0.3)) if links else []
    gone, curve = list[int](), np.empty(0)
    if isinstance(parts, int):
        check_numbers("number of parts", [parts], len(passes.parts) + 1, first=1)
        gone, kept = passes.dropped(lost, progress=part_of(progress, 0.4, 0.6))
        curve = np.array([*kept[::-1], 1.0])
        live = everything.copy()
        live[gone[: len(gone) - parts + 1]] = False
    else:
        live = np.isin(np.arange(len(everything)), [WORDS, *map(passes.number, parts)])
    return {
        "parts": passes.parts,
        "lost": lost,
        "links": found,
        "dropped": [passes.parts[at] for at in gone],
        "curve": curve,
        **passes.of_set(live, seed),
    }


def parts_of(model: Bert) -> list[Part]:
    """The embeddings, the heads layer by layer, the feed-forward networks."""
    layers, heads = range(model.encoder.depth), range(model.config.num_attention_heads)
    of_heads = [Part("head", layer, head) for layer in layers for head in heads]
    return [Part("words"), *of_heads, *(Part("feed-forward", layer) for layer in layers)]


class PartPasses:
    """Passes over one text in which parts give what they give in another.

    Raises BertcoreError for texts of different lengths, and where they hardly differ in the target.
    """

    def __init__(self, model: Bert, text: Text, other: Text, target: Target, max_tokens: int = MAX_TOKENS) -> None:
        check_patching(text, other)
        target.check(len(text))
        self.model, self.target, self.length, self.max_tokens = model, target, len(text), max_tokens
        self._swapped = other, text
        self.depth, self.heads = model.encoder.depth, model.config.num_attention_heads
        self.parts = parts_of(model)
        self.answer = Part("answer")
        self._stream = hidden_points(self.depth)
        with torch.inference_mode():
            self._ours, last = self._record(text)
            self._theirs, other_last = self._record(other)
            self.value, self.other_value = (float(target.of(model, each)) for each in (last, other_last))
        if not abs(self.value - self.other_value) >= SMALLEST_DIFFERENCE:  # not a number either
            raise BertcoreError(
                f"Both texts give this prediction nearly the same score ({self.value:.3f} and {self.other_value:.3f}), "
                "so no part makes a difference; choose another prediction, or texts that differ more."
            )

    def number(self, part: Part) -> int:
        """Of a part, as in `parts`. Raises BertcoreError for one that the model does not have."""
        if part not in self.parts:
            raise BertcoreError(f"This model has no part {part}; layers and heads count from 0.")
        if part.kind == "head":
            return 1 + part.layer * self.heads + part.head
        return WORDS if part.kind == "words" else 1 + self.depth * self.heads + part.layer

    def of_set(self, live: NDArray[np.bool_], seed: int = 0) -> dict[str, Any]:
        """What a `Circuit` says of a set of parts (P): `chosen`, `outcomes`, `reversed`, `random`."""
        everything, without = np.ones_like(live), ~live
        without[WORDS] = True
        sets = {"text": everything, "only": live, "without": without, "other": ~everything}
        return {
            "chosen": [part for part, is_live in zip(self.parts, live, strict=True) if is_live],
            "outcomes": {name: self.outcome(each) for name, each in sets.items()},
            "reversed": float(PartPasses(self.model, *self._swapped, self.target).kept(live[None])[0]),
            "random": self.random_sets(int(live.sum()), seed),
        }

    def lost_at(self, numbers: Sequence[int], progress: ReportProgress = no_progress) -> Shares:
        """By each of these parts at each token alone: (K,S)."""
        live = np.ones((len(numbers), self.length, len(self.parts), self.length), dtype=bool)
        for row, number in enumerate(numbers):
            live[row, range(self.length), number, range(self.length)] = False
        return 1 - self.kept(live.reshape(-1, *live.shape[2:]), progress).reshape(-1, self.length)

    def kept(self, live: NDArray[np.bool_], progress: ReportProgress = no_progress) -> Shares:
        """The share of the difference that sets keep (V): live (V,P), or (V,P,S) for parts at single tokens."""
        return (self._values(live, self.target, progress) - self.other_value) / (self.value - self.other_value)

    def lost(self, progress: ReportProgress = no_progress) -> Shares:
        """By each part alone: (P)."""
        return 1 - self.kept(~np.eye(len(self.parts), dtype=bool), progress)

    def outcome(self, live: NDArray[np.bool_]) -> Outcome:
        """Of one set (P)."""
        target, kept = self.target, float(self.kept(live[None])[0])
        asked = [target.index] if target.against is None else [target.index, target.against]
        single = [replace(target, index=index, against=None) for index in asked] if not target.reads_all else []
        has_probabilities = target.measure == "log_probability"
        logs = [self._values(live[None], one, no_progress)[0] for one in single if has_probabilities]
        value = self.other_value + kept * (self.value - self.other_value)
        return Outcome(value, kept, tuple(float(np.exp(log)) for log in logs))

    @torch.inference_mode()
    def _values(self, live: NDArray[np.bool_], target: Target, progress: ReportProgress) -> NDArray[np.float64]:
        values = np.empty(len(live))
        for batch in chunks(len(live), self.length, self.max_tokens):
            mask = torch.as_tensor(live[batch], device=self._ours[self._stream[0]].device)
            mask = mask if mask.dim() == 3 else mask[:, :, None].expand(-1, -1, self.length)  # (B,P,S)
            hidden = self.model.encoder(self._mixed(mask[:, WORDS], self._stream[0]), hook=Hook(self._mixing(mask)))
            values[batch] = as_doubles(target.of(self.model, hidden))
            progress(batch.stop / len(live))
        return values

    def _mixed(self, mask: Tensor, point: str, value: Tensor | None = None) -> Tensor:
        """Ours where the mask (B,S) or (B,N,S) says so, else theirs."""
        return torch.where(mask[..., None], self._ours[point] if value is None else value, self._theirs[point])

    def _mixing(self, mask: Tensor) -> Any:
        """A hook function for sets of live parts (B,P,S)."""
        last_head = 1 + self.depth * self.heads
        by_layer = mask[:, 1:last_head].unflatten(1, (self.depth, self.heads))  # (B,L,N,S)

        def mix(point: str, value: Tensor) -> Tensor:
            if point.endswith("context_heads"):
                return self._mixed(by_layer[:, _layer(point)], point, value)
            if point.endswith("feed_forward.output"):
                return self._mixed(mask[:, last_head + _layer(point)], point, value)
            return value

        return mix

    def _record(self, text: Text) -> tuple[Recorder, Tensor]:
        """What parts give and read, and the last hidden states."""
        added = ("context_heads", "attention.output", "feed_forward.output", "middle")
        ends = (*added, "query", "key", "value", "before_activation", *self._stream)
        recorder = Recorder(lambda point: point.endswith(ends))
        return recorder, text.hidden(self.model, hook=recorder)

    # --- links

    def links(self, most: int = MOST_LINKS, progress: ReportProgress = no_progress) -> list[Link]:
        """The links that lose most by gradient, measured; the largest first."""
        screened = np.abs(self.screen())  # (P,P+1)
        least = np.sort(screened[np.isfinite(screened)])[-most:][0]
        found, wanted = list[Link](), screened >= least
        for batch in chunks(len(self.parts), self.length, self.max_tokens):
            senders = np.arange(len(self.parts))[batch]
            frozen = self._frozen(senders.tolist())
            for receiver, part in enumerate((*self.parts, self.answer)):
                rows = np.flatnonzero(wanted[batch, receiver]).tolist()
                lost = self._lost_by_links(part, frozen, rows) if rows else ()
                found += [Link(self.parts[senders[row]], part, float(one)) for row, one in zip(rows, lost, strict=True)]
                progress(len(found) / wanted.sum())
        return sorted(found, key=lambda link: -abs(link.lost))

    def lost_by_link(self, sender: Part, receiver: Part) -> float:
        """Exactly, of one link to a part that comes later. Raises BertcoreError for one that does not."""
        if sender.time >= receiver.time:
            raise BertcoreError(f"{sender} tells {receiver} nothing, as it does not come before it; swap them.")
        return float(self._lost_by_links(receiver, self._frozen([self.number(sender)]), [0])[0])

    @torch.inference_mode()
    def _lost_by_links(self, receiver: Part, frozen: Recorder, rows: Sequence[int]) -> Shares:
        """By the senders of some rows of a frozen pass."""
        layer = self.depth if receiver.kind == "answer" else receiver.layer
        entering, reach = frozen[self._stream[layer]][rows], Hook(self._reaching(receiver, frozen, rows))
        hidden = self.model.encoder(entering, start=layer, hook=reach)
        return (self.value - as_doubles(self.target.of(self.model, hidden))) / (self.value - self.other_value)

    @torch.inference_mode()
    def _frozen(self, senders: Sequence[int]) -> Recorder:
        """A pass in which each part gives what it gives in our text, but in row b that sender what it gives in theirs:
        what the stream is then, and what each part would read."""
        parts, count = [self.parts[sender] for sender in senders], len(senders)

        def replaced(value: Tensor, rows: Iterator[tuple[int, Tensor]]) -> Tensor:
            value = value.expand(count, -1, -1).clone()
            for row, new in rows:
                value[row] = new
            return value

        def freeze(point: str, value: Tensor) -> Tensor:
            kept, layer = self._ours, _layer(point)
            if point.endswith("attention.output"):
                heads = ((b, part.head) for b, part in enumerate(parts) if part.kind == "head" and part.layer == layer)
                return replaced(kept[point], ((b, kept[point][0] + self._change(layer, head)) for b, head in heads))
            if point.endswith("feed_forward.output"):
                rows = (b for b, part in enumerate(parts) if part == Part("feed-forward", layer))
                return replaced(kept[point], ((b, self._theirs[point][0]) for b in rows))
            return value

        record = Recorder()
        start = self._stream[0]
        entering = replaced(
            self._ours[start], ((b, self._theirs[start][0]) for b, one in enumerate(senders) if one == WORDS)
        )
        record(start, entering)
        self.model.encoder(entering, hook=Hook(lambda point, value: record(point, freeze(point, value))))
        return record

    def _change(self, layer: int, head: int) -> Tensor:
        """What a head adds in their text minus what it adds in ours: (S,H)."""
        point, output = f"layer.{layer}.attention.context_heads", self.model.encoder.layer(layer).attention.output
        weight = output.weight.unflatten(1, (self.heads, -1))[:, head]  # (H,D)
        difference: Tensor = (self._theirs[point][0, head] - self._ours[point][0, head]) @ weight.T
        return difference

    def _reaching(self, receiver: Part, frozen: Recorder, rows: Sequence[int]) -> Any:
        """A hook function: one part reads what is frozen, the stream beside it goes on as in our text."""
        name = f"layer.{receiver.layer}."
        entering, middle = self._stream[receiver.layer], f"{name}middle"

        def reach(point: str, value: Tensor) -> Tensor:
            if receiver.kind == "head":
                if point.startswith(name) and point.endswith(("query", "key", "value")):
                    others = self._ours[point].expand_as(value).clone()
                    others[:, receiver.head] = value[:, receiver.head]
                    return others
                if point == f"{name}attention.output":
                    return value + self._ours[entering] - frozen[entering][rows]
            elif receiver.kind == "feed-forward":
                if point == f"{name}attention.output":
                    return frozen[point][rows]
                if point == f"{name}feed_forward.output":
                    return value + self._ours[middle] - frozen[middle][rows]
            return value

        return reach

    def screen(self) -> Shares:
        """Each link to first order: (P,P+1) from sender to receiver, the last of which is the answer; NaN: no link."""
        gradients, last = self._gradients()
        shares = np.full((len(self.parts), len(self.parts) + 1), np.nan)
        times = np.array([part.time for part in (*self.parts, self.answer)])
        for batch in chunks(len(self.parts), self.length, self.max_tokens):
            senders = range(len(self.parts))[batch]
            frozen = self._frozen(senders)
            with torch.inference_mode():
                for layer in range(self.depth):
                    name = f"layer.{layer}."
                    read = [f"{name}attention.{each}" for each in ("query", "key", "value")]
                    heads = sum(((frozen[at] - self._ours[at]) * gradients[at]).sum((2, 3)) for at in read)  # (B,N)
                    first = self.number(Part("head", layer, 0))
                    shares[batch, first : first + self.heads] = as_doubles(heads)  # type: ignore[arg-type]
                    inner = f"{name}feed_forward.before_activation"
                    change = ((frozen[inner] - self._ours[inner]) * gradients[inner]).sum((1, 2))
                    shares[batch, self.number(Part("feed-forward", layer))] = as_doubles(change)
                final = self._stream[-1]
                shares[batch, -1] = as_doubles(((frozen[final] - self._ours[final]) * last).sum((1, 2)))
        shares[times[:-1, None] >= times[None, :]] = np.nan
        return shares / (self.other_value - self.value)

    @torch.inference_mode(False)
    def _gradients(self) -> tuple[dict[str, Tensor], Tensor]:
        """Of the target, with respect to what each part reads; and to what leaves the last layer."""
        seen, wanted = dict[str, Tensor](), ("query", "key", "value", "before_activation", self._stream[-1])

        def keep(point: str, value: Tensor) -> Tensor:
            if point.endswith(wanted):
                seen[point] = value
            return value

        with torch.enable_grad():
            entering = self._ours[self._stream[0]].clone().requires_grad_()
            value = self.target.of(self.model, self.model.encoder(entering, hook=Hook(keep))).sum()
            found = torch.autograd.grad(value, list(seen.values()))
        gradients = dict(zip(seen, (each.detach() for each in found), strict=True))
        return gradients, gradients.pop(self._stream[-1])

    # --- sets

    def dropped(
        self, lost: Shares, most: int = MOST_GREEDY, progress: ReportProgress = no_progress
    ) -> tuple[list[int], Shares]:
        """Parts, the one that counts least first, and what is kept without it and all before it: (P-1).

        From all parts the one that changes least goes, again and again; never the embeddings. lost (P): of each alone.
        """
        order = [int(at) for at in np.argsort(np.abs(lost), kind="stable") if at != WORDS]
        live, gone, kept = np.ones(len(self.parts), dtype=bool), list[int](), list[float]()
        at_once = order[: max(len(order) - most, 0)]
        if at_once:
            sets = np.repeat(live[None], len(at_once), axis=0)
            for row, _ in enumerate(at_once):
                sets[row, at_once[: row + 1]] = False
            gone, kept = list(at_once), self.kept(sets).tolist()
            live[at_once] = False
        now = kept[-1] if kept else 1.0
        while live.sum() > 1:
            candidates = [int(at) for at in np.flatnonzero(live) if at != WORDS]
            sets = np.repeat(live[None], len(candidates), axis=0)
            sets[range(len(candidates)), candidates] = False
            shares = self.kept(sets)
            least = int(np.abs(shares - now).argmin())
            now = float(shares[least])
            live[candidates[least]] = False
            gone.append(candidates[least])
            kept.append(now)
            progress(len(gone) / len(order))
        return gone, np.array(kept)

    def random_sets(self, count: int, seed: int = 0) -> Shares:
        """What is kept by sets of `count` parts drawn at random, the embeddings among them: (RANDOM_SETS)."""
        rng, sets = np.random.default_rng(seed), np.zeros((RANDOM_SETS, len(self.parts)), dtype=bool)
        sets[:, WORDS] = True
        for row in sets:
            row[1 + rng.permutation(len(self.parts) - 1)[: count - 1]] = True
        return self.kept(sets)


def _layer(point: str) -> int:
    """Of a hook point in a layer; -1 of others."""
    return int(point.split(".")[1]) if point.startswith("layer.") else -1
