"""What stands in one sequence: a sentence pair for NSP or SOP, or running text without pairs.

nsp   half of the time B follows A, else it comes from another document (Devlin et al. 2019, section 3.1), or from
      elsewhere in the same one where there is no other
sop   A and B follow one another, half of the time swapped (Lan et al. 2020, section 3.1)
none  whole sentences on end, one part (Liu et al. 2019, section 4.2): FULL-SENTENCES packed, else DOC-SENTENCES

A sequence is made of a window: whole sentences of one document that lie side by side, enough of them to fill it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from threading import Thread

import numpy as np
from numpy.typing import NDArray

from bertcore.data.corpus import Corpus
from bertcore.errors import BertcoreError
from bertcore.tokenizer.framing import fit_pair
from bertcore.tokenizer.tokenizer import Tokenizer

_FEW = 32  # so few documents are cut one by one: the longest ones have many more windows than the others


def with_pieces(corpus: Corpus, budget: int) -> Corpus:
    """The same text, but each sentence of more than `budget` tokens is several, of half of that at most.

    A transcript without full stops is one sentence from beginning to end.
    """
    starts = corpus.sentence_starts
    long = np.flatnonzero(np.diff(starts) > budget)
    if not len(long):
        return corpus
    lengths = starts[long + 1] - starts[long]
    pieces = -(-lengths // max(1, budget // 2))
    inner = pieces - 1  # cuts inside each
    number = np.arange(inner.sum()) - np.repeat(np.cumsum(inner) - inner, inner) + 1  # 1, 2, ... in each
    cuts = np.repeat(starts[long], inner) + number * np.repeat(lengths, inner) // np.repeat(pieces, inner)
    return replace(
        corpus,
        sentence_starts=np.insert(starts, np.repeat(long + 1, inner), cuts),
        document_starts=corpus.document_starts + np.searchsorted(cuts, starts[corpus.document_starts]),
    )


def cut_windows(
    corpus: Corpus, documents: NDArray, budget: int, rng: np.random.Generator, fewest: int = 2
) -> NDArray[np.int64]:
    """Windows of whole sentences with at least `budget` tokens where the document has them: (W,3).

    Columns: first sentence, sentence after the last, document. Order is random, and so is where in each document
    the first window begins, so that every epoch sees other windows. Fewer than `fewest` sentences are left out,
    unless they fill the budget. `documents` must rise.
    """
    order = rng.permutation(documents)
    starts = corpus.sentence_starts
    first, stop = _first_sentences(corpus, order, budget, rng)
    place = np.argsort(order)  # as the documents lie in the text: what is looked up one after the other lies together
    first, stop = first[place], stop[place]
    rounds = []  # (place of the document in the order, first sentence, sentence after the last), a window of each
    while len(place) > _FEW:
        goes_on = (stop - first >= fewest) | ((stop > first) & (starts[stop] - starts[first] >= budget))
        place, first, stop = place[goes_on], first[goes_on], stop[goes_on]
        end = np.minimum(np.maximum(np.searchsorted(starts, starts[first] + budget), first + 1), stop)
        rounds.append((place, first, end))
        first = end
    for number, begin, last in zip(place.tolist(), first.tolist(), stop.tolist(), strict=True):
        windows = _cut_document(starts, begin, last, budget, fewest)
        rounds.append((np.full(len(windows), number), windows[:, 0], windows[:, 1]))
    if not rounds:
        return np.zeros((0, 3), dtype=np.int64)
    places, firsts, ends = (np.concatenate(column) for column in zip(*rounds, strict=True))
    by_document = np.argsort(places, kind="stable")
    return rng.permutation(np.stack([firsts, ends, order[places]], axis=1)[by_document])


class WindowCounts:
    """How many windows `cut_windows` cuts, without cutting them."""

    def __init__(self, corpus: Corpus, documents: NDArray, budget: int, fewest: int) -> None:
        self._corpus, self._documents, self._budget = corpus, documents, budget
        starts, sentences = corpus.sentence_starts, np.arange(len(corpus.sentence_starts) - 1)
        stop = np.repeat(corpus.document_starts[1:], np.diff(corpus.document_starts))  # of each sentence's document
        goes_on = (stop - sentences >= fewest) | (starts[stop] - starts[sentences] >= budget)
        end = np.minimum(np.maximum(np.searchsorted(starts, starts[sentences] + budget), sentences + 1), stop)
        counts = [0] * (len(sentences) + 1)  # windows from each sentence to the end of its document
        ends, stops = end.tolist(), stop.tolist()
        for sentence in np.flatnonzero(goes_on)[::-1].tolist():
            next_one = ends[sentence]
            counts[sentence] = 1 + (counts[next_one] if next_one < stops[sentence] else 0)
        self._counts = np.array(counts)

    def of_epoch(self, rng: np.random.Generator) -> int:
        first, _ = _first_sentences(self._corpus, rng.permutation(self._documents), self._budget, rng)
        return int(self._counts[first].sum())


def has_random_starts(corpus: Corpus, documents: NDArray, budget: int) -> bool:
    """Whether a document is so long that its first window begins elsewhere in each epoch; else every epoch has the same
    windows, in another order."""
    starts = corpus.sentence_starts
    first, stop = corpus.document_starts[documents], corpus.document_starts[documents + 1]
    return bool((starts[stop] - starts[first] > 2 * budget).any())


def _first_sentences(
    corpus: Corpus, order: NDArray, budget: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where in each document the first window begins, by chance within a window's length, and where the document ends;
    both (D). A short document begins at its beginning."""
    starts = corpus.sentence_starts
    first, stop = corpus.document_starts[order], corpus.document_starts[order + 1]  # indexing copies
    long = np.flatnonzero(starts[stop] - starts[first] > 2 * budget)
    lying = long[np.argsort(first[long])]
    after = np.zeros(len(order), dtype=np.int64)  # sentences that begin within the first `budget` tokens
    after[lying] = np.searchsorted(starts, starts[first[lying]] + budget) - first[lying]
    first[long] += rng.integers(0, np.clip(after[long], 1, stop[long] - first[long]))
    return first, stop


def _cut_document(starts: NDArray, first: int, stop: int, budget: int, fewest: int) -> NDArray[np.int64]:
    """The windows of one document, (W,2)."""
    after = np.arange(first + 1, stop + 1)
    ends = np.minimum(np.maximum(np.searchsorted(starts, starts[first:stop] + budget), after), stop).tolist()
    windows, begin = [], first
    while stop - begin >= fewest or (stop > begin and starts[stop] - starts[begin] >= budget):
        windows.append((begin, ends[begin - first]))
        begin = ends[begin - first]
    return np.array(windows, dtype=np.int64).reshape(-1, 2)


IS_NEXT, NOT_NEXT, NO_LABEL = 0, 1, -100
IN_ORDER, SWAPPED = 0, 1
_TRIES = 20  # documents looked at for one that is long enough
_LONG_EPOCH = 100_000  # windows; fewer are cut within a tenth of a second
_MANY_EPOCHS = 8  # from so many on, counting their windows is faster than cutting them


@dataclass(frozen=True)
class TokenPair:
    """Ids of part A and of part B (empty where there is one part alone), and what they are to each other."""

    a: NDArray
    b: NDArray
    label: int  # nsp: IS_NEXT or NOT_NEXT; sop: IN_ORDER or SWAPPED; NO_LABEL for one part alone


@dataclass(frozen=True)
class PairRules:
    """How sequences are made.

    Packed, every sequence is filled: where a document ends, a separator and text from another document follow; and
    what is too long loses tokens at its front or back by chance, as in google-research/bert. Else what is short stays
    short, A loses its front and B its end, so that they still touch.

    What SOP swaps is cut as when it is packed, or a clean end would tell.

    `exact`: labels and masks have exactly their shares (`bertcore.data.masking`, and held-out text as many pairs with
    one label as with the other); else as in runs before format 5.

    `random_next(window, length, rng)` gives a B that does not follow, where packed sequences shall not take it from any
    other document alike.
    """

    kind: str = "nsp"
    pack: bool = False
    specials: tuple[int, int] = (2, 3)  # special tokens around one part, and around two
    separator: int = -1  # id, between documents in one part
    exact: bool = False
    random_next: Callable[[NDArray, int, np.random.Generator], NDArray] | None = None

    @classmethod
    def of(cls, tokenizer: Tokenizer, kind: str = "nsp", pack: bool = False, exact: bool = False) -> PairRules:
        specials = tokenizer.framing.single.specials, tokenizer.framing.pair.specials
        return cls(kind, pack, specials, tokenizer.sep_id, exact)

    def token_budget(self, length: int) -> int:
        """Tokens of text that a window has to hold to fill a sequence."""
        return length - self.specials[self.kind != "none"]

    @property
    def fewest_sentences(self) -> int:
        return 1 if self.kind == "none" else 2


NEXT_SENTENCE = PairRules()


class PairSampler:
    """Walks through the windows of one side of a corpus, epoch after epoch, in an order that the seed alone fixes.

    `state` (epoch, position) is all that a resume needs. Raises BertcoreError where no document has a sentence pair.
    """

    def __init__(
        self, corpus: Corpus, held_out: bool, length: int, seed: int, rules: PairRules = NEXT_SENTENCE
    ) -> None:
        self.length, self.seed, self.rules, self._budget = length, seed, rules, rules.token_budget(length)
        self.corpus = with_pieces(corpus, self._budget)
        self.documents = corpus.documents(held_out)
        self._ahead: tuple[int, Future[NDArray[np.int64]]] | None = None  # an epoch, and its windows to come
        self._begin_epoch(0)
        if not len(self._windows):
            raise BertcoreError(
                "No document in the text has two sentences; leave a blank line only where a new document begins."
            )

    @property
    def state(self) -> tuple[int, int]:
        return self.epoch, self.position

    @property
    def windows_per_epoch(self) -> int:
        return len(self._windows)

    def restore(self, state: tuple[int, int]) -> None:
        epoch, position = state
        if epoch != self.epoch:
            self._begin_epoch(epoch)
        self.position = position

    def windows(self, count: int) -> NDArray[np.int64]:
        """The next `count` windows, (count,3), over the ends of epochs where need be."""
        parts: list[NDArray[np.int64]] = []
        while count > 0:
            if self.position >= len(self._windows):
                self._begin_epoch(self.epoch + 1)
            part = self._windows[self.position : self.position + count]
            self.position, count = self.position + len(part), count - len(part)
            parts.append(part)
        self._cut_ahead()
        return np.concatenate(parts) if parts else self._windows[:0]

    def skip(self, count: int) -> None:
        """As `windows` leaves it, in a fraction of the time: the windows of the epochs between are counted, not cut."""
        left, each = len(self._windows) - self.position, len(self._windows)
        if count <= left:
            self.position += count
            return
        count, epoch = count - left, self.epoch + 1
        if not has_random_starts(self.corpus, self.documents, self._budget):  # as many in every epoch
            epoch, count = epoch + (count - 1) // each, (count - 1) % each + 1
        elif count // each >= _MANY_EPOCHS:
            counted = WindowCounts(self.corpus, self.documents, self._budget, self.rules.fewest_sentences)
            while (now := counted.of_epoch(self._generator(epoch))) < count:
                count, epoch = count - now, epoch + 1
        self._begin_epoch(epoch)
        while count > len(self._windows):
            count -= len(self._windows)
            self._begin_epoch(self.epoch + 1)
        self.position = count

    def pairs(self, windows: NDArray[np.int64], rng: np.random.Generator, label: int | None = None) -> list[TokenPair]:
        """A pair of each window; `rng` decides where it is split and, without a `label`, which B is from elsewhere."""
        return [self._pair(window, rng, label) for window in windows]

    def _begin_epoch(self, epoch: int) -> None:
        ahead, self._ahead = self._ahead, None
        self.epoch, self.position = epoch, 0
        self._windows = ahead[1].result() if ahead and ahead[0] == epoch else self._cut(epoch)

    def _cut_ahead(self) -> None:
        """Towards the end of a long epoch cut the next one on a thread beside: it may take half a minute."""
        nearly_over = self.position > 0.75 * len(self._windows)
        if nearly_over and self._ahead is None and len(self._windows) >= _LONG_EPOCH:
            epoch, windows = self.epoch + 1, Future[NDArray[np.int64]]()
            self._ahead = epoch, windows
            # a daemon, unlike the threads of an executor: a run that is stopped does not wait for it
            Thread(target=self._cut_into, args=(windows, epoch), name="windows", daemon=True).start()

    def _cut_into(self, windows: Future[NDArray[np.int64]], epoch: int) -> None:
        try:
            windows.set_result(self._cut(epoch))
        except BaseException as error:  # raised where they are waited for
            windows.set_exception(error)

    def _cut(self, epoch: int) -> NDArray[np.int64]:
        rng, fewest = self._generator(epoch), self.rules.fewest_sentences
        return cut_windows(self.corpus, self.documents, self._budget, rng, fewest)

    def _generator(self, epoch: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, epoch])

    def _pair(self, window: NDArray, rng: np.random.Generator, label: int | None) -> TokenPair:
        """One sequence of at most `length` tokens; a pair is split between two of the window's sentences."""
        first, end, document = (int(value) for value in window)
        starts, tokens, rules, budget = self.corpus.sentence_starts, self.corpus.tokens, self.rules, self._budget
        if rules.kind == "none" or end - first < 2:
            budget = self.length - rules.specials[0] if rules.pack else budget
            text = tokens[starts[first] : min(int(starts[first]) + budget, int(starts[end]))]
            return TokenPair(self._filled(text, budget, document, rng), tokens[:0], NO_LABEL)
        split = int(rng.integers(first + 1, end))
        a, b = tokens[starts[first] : starts[split]], tokens[starts[split] : starts[end]]
        is_other = rng.random() < 0.5 if label is None else bool(label)
        if is_other and rules.kind == "nsp":
            if len(self.documents) == 1 and rules.random_next is None:
                begin, stop = self._sentences_of(document)  # from a sentence other than `split`
                begin += int(rng.integers(stop - begin - 1))
                b = tokens[starts[begin + (begin >= split)] : starts[stop]]
            elif rules.pack:
                random_next = rules.random_next or self.random_next
                b = random_next(window, min(len(b), budget - len(a)), rng)
            else:  # cut in the middle of a sentence more often than a B that follows
                b = self._random_text(document, budget, rng)[: max(len(b), budget - len(a))]
        if is_other and rules.kind == "sop":
            a, b = b, a
        if rules.pack or rules.kind == "sop":
            a, b = _cut(a, b, budget, rng)
        else:
            keep_a, keep_b = fit_pair(len(a), len(b), budget)
            a, b = a[len(a) - keep_a :], b[:keep_b]
        return TokenPair(a, self._filled(b, budget - len(a), document, rng), int(is_other))  # 1: NOT_NEXT, SWAPPED

    def _filled(self, text: NDArray, budget: int, document: int, rng: np.random.Generator) -> NDArray:
        """Text, then as often as it fits a separator and text from a document other than `document`."""
        pieces, free = [text], budget - len(text)
        while self.rules.pack and free > 1 and len(self.documents) > 1:
            more = self._random_text(document, free - 1, rng)
            pieces += [np.array([self.rules.separator], dtype=text.dtype), more]
            free -= 1 + len(more)
        return np.concatenate(pieces) if len(pieces) > 1 else text

    def random_next(self, window: NDArray | None, length: int, rng: np.random.Generator) -> NDArray:
        """Whole sentences of one document other than the window's, as many as it takes to reach `length` tokens, where
        that can be had.

        So a B that follows is made too. Were one shorter, or cut in the middle of a sentence, more often than the
        other, that would give the answer away.
        """
        document = None if window is None else int(window[2])
        for _ in range(_TRIES):
            other = self._random_document(rng)
            first, stop = self._sentences_of(other)
            places = self._places(first, stop, length)
            if other != document and places:
                return self._from(first + int(rng.integers(places)), stop, length)
        return self._random_text(document, length, rng)

    def other_place(self, window: NDArray, length: int, rng: np.random.Generator) -> NDArray | None:
        """Whole sentences of the window's document with `length` tokens or more, from before or after the window; None
        where it has no such place."""
        first, end, document = (int(value) for value in window)
        begin, stop = self._sentences_of(document)
        before, after = self._places(begin, first, length), self._places(end, stop, length)
        if before + after == 0:
            return None
        place = int(rng.integers(before + after))
        return self._from(begin + place if place < before else end + place - before, stop, length)

    def _places(self, first: int, stop: int, length: int) -> int:
        """At how many of these sentences, the first ones, `length` tokens can begin."""
        starts = self.corpus.sentence_starts
        return int(np.searchsorted(starts[first:stop], starts[stop] - length, side="right"))

    def _from(self, begin: int, stop: int, length: int) -> NDArray:
        """Whole sentences from one on, as many as it takes to reach `length` tokens."""
        starts = self.corpus.sentence_starts
        end = begin + max(1, int(np.searchsorted(starts[begin : stop + 1], starts[begin] + length)))
        return self.corpus.tokens[starts[begin] : starts[end]]

    def _random_text(self, document: int | None, budget: int, rng: np.random.Generator) -> NDArray:
        other = self._random_document(rng)
        while other == document and len(self.documents) > 1:
            other = self._random_document(rng)
        first, stop = self._sentences_of(other)
        begin = self.corpus.sentence_starts[rng.integers(first, stop)]
        return self.corpus.tokens[begin : min(begin + budget, int(self.corpus.sentence_starts[stop]))]

    def _sentences_of(self, document: int) -> tuple[int, int]:
        return int(self.corpus.document_starts[document]), int(self.corpus.document_starts[document + 1])

    def _random_document(self, rng: np.random.Generator) -> int:
        """What `rng.choice` would give, in a fifth of the time."""
        return int(self.documents[rng.integers(len(self.documents))])


def _cut(a: NDArray, b: NDArray, budget: int, rng: np.random.Generator) -> tuple[NDArray, NDArray]:
    """`truncate_seq_pair` of google-research/bert: the longer part loses a token, at its front or back by chance."""
    kept = []
    for part, keep in zip((a, b), fit_pair(len(a), len(b), budget), strict=True):
        front = int(rng.binomial(len(part) - keep, 0.5)) if len(part) > keep else 0
        kept.append(part[front : front + keep])
    return kept[0], kept[1]
