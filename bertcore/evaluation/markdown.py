"""A model's report as Markdown: the figures for its card, and the whole cloze set with the model's guesses."""

import math
from collections.abc import Iterable, Sequence

from bertcore.evaluation.documents import ALL_SOURCES
from bertcore.evaluation.estimates import Estimate
from bertcore.evaluation.head_census import HeadCensus
from bertcore.evaluation.held_out import WordSummary
from bertcore.evaluation.report import HeldOutReport, ModelReport
from bertcore.evaluation.sets import Cloze, ClozeAnswer, ClozeScore, MinimalPairs
from bertcore.tokenizer.special_tokens import MASK
from bertcore.tokenizer.token_labels import SPACE_MARKS

_MARKS = "".join(SPACE_MARKS.values())  # before a word, in vocabularies that mark spaces

HELD_OUT_NOTE = (
    "± is one standard error, from how much the documents differ. Which are held out follows from a hash of their "
    "text. Where a book was cut into several documents, other parts of it may be in the training text."
)

PREDICTED_NOTE = (
    f"15% of the tokens are to be predicted. As in training, 8 in 10 of these are replaced by {MASK}, 1 in 10 by a "
    "random word, and 1 in 10 is left as it is and can simply be copied. *Right* counts all of them, as is usual (so "
    f"do loss, perplexity and the top five); *right at {MASK}* counts only the first kind."
)


def figures(report: ModelReport) -> str:
    """All figures as sections of a card, each with a heading of the second level."""
    sections = []
    if report.held_out is not None:
        held_out = report.held_out
        sections += [_held_out(held_out), _next_sentence(held_out), _single_sentences(held_out), _by_position(held_out)]
    sections += [_cloze(report.cloze), _minimal_pairs(report.minimal_pairs)]
    if report.heads is not None:
        sections.append(_heads(report.heads))
    return "\n".join(section for section in sections if section)


def cloze_table(report: ModelReport) -> str:
    """Every sentence of the cloze set with the first five guesses, by category."""
    cloze = report.cloze
    score = cloze.score
    parts = [
        f"# Predictions of {report.name} for the cloze set\n",
        f"The missing word is its first guess in {_percent(score.top1)} of {score.top1.count} sentences, and among its "
        f"first five in {_percent(score.top5)}. In the sentence the masked word is in bold; correct guesses are in "
        "bold too. The last column is the rank of the best accepted word in the whole vocabulary.\n",
    ]
    for category, of_category in cloze.by_category().items():
        answers = [answer for answer in cloze.answers if answer.sentence.category == category]
        rows = [
            (_filled(a), ", ".join(a.sentence.answers[1:]), *_guesses(a), "-" if a.rank is None else f"{a.rank:,}")
            for a in answers
        ]
        parts.append(
            f"## {category.capitalize()}: {_of(of_category.top5)} in the top five, {_of(of_category.top1)} first\n"
        )
        parts.append(_table(("sentence", "also right", "1", "2", "3", "4", "5", "rank"), rows))
    return "\n".join(parts)


def _held_out(held_out: HeldOutReport) -> str:
    rows = [
        (
            _source(name),
            f"{words.loss.count:,} in {words.documents:,}",
            _number(words.loss),
            f"{words.perplexity:.1f}",
            _percent(words.top1),
            _percent(words.top1_masked),
            _percent(words.top5),
        )
        for name, words in held_out.words.items()
    ]
    head = (
        "text",
        "masked words in documents",
        "loss (nats)",
        "perplexity",
        "right",
        f"right at {MASK}",
        "in the top five",
    )
    lines = [
        "## Held-out text\n",
        f"Whole held-out documents in sequences of up to {held_out.length} tokens. {PREDICTED_NOTE}\n",
        _table(head, rows),
        HELD_OUT_NOTE,
    ]
    return "\n".join(lines) + "\n"


def _next_sentence(held_out: HeldOutReport) -> str:
    if not held_out.next_sentence:
        return ""
    rows = [
        (_source(name), f"{found.right.count:,}", *map(_percent, (found.right, found.true_next, found.random_next)))
        for name, found in held_out.next_sentence.items()
    ]
    lines = [
        "## Next sentence\n",
        "Does B follow A? Pairs of whole held-out sentences without masks. In half of them B follows, so chance is one "
        "half; in the others B comes from another document of the same file.\n",
        _table(("text", "pairs", "right", "true B accepted", "random B rejected"), rows),
    ]
    if ALL_SOURCES in held_out.next_sentence:
        files = {name: words.documents for name, words in held_out.words.items() if name != ALL_SOURCES}
        most = max(files, key=lambda name: files[name])
        lines.append(
            f"In the row for all files a random B comes from any document ({files[most]:,} of {sum(files.values()):,} "
            f"are of {most}), in the others from the same file, so that row is not the mean of those above it.\n"
        )
    return "\n".join(lines)


def _single_sentences(held_out: HeldOutReport) -> str:
    rows = [
        (_source(name), f"{words.loss.count:,} in {words.documents:,}", *_words(words)[:2], _percent(words.top5))
        for name, words in held_out.single_sentences.items()
    ]
    table = _table(("text", "masked words in documents", "loss (nats)", "right", "in the top five"), rows)
    summed = (
        "\nThere is no row for all files: each gives at most the same number of sentences, whatever its size, so it "
        "would weight the files differently from the rows for all files above.\n"
    )
    return (
        "## Single sentences\n\nHeld-out sentences without context, as a person types one. 15% of the tokens "
        f"of each, at least one, are to be predicted, all of them replaced by {MASK}: compare with *right at {MASK}* "
        f"above.\n\n{table}{summed if len(rows) > 1 else ''}"
    )


def _by_position(held_out: HeldOutReport) -> str:
    if not held_out.by_position:
        return ""
    rows = [
        (f"{part.first + 1} to {part.stop}", f"{words.loss.count:,}", *_words(words))
        for part in held_out.by_position
        for words in (part.words,)
    ]
    table = _table(("position", "masked words", "loss (nats)", "right", f"right at {MASK}", "in the top five"), rows)
    longest = held_out.by_position[-1].stop
    return (
        f"## By position in the sequence\n\nFull sequences of {longest} tokens, the same ones in every row.\n\n{table}"
    )


def _words(words: WordSummary) -> tuple[str, str, str, str]:
    return _number(words.loss), _percent(words.top1), _percent(words.top1_masked), _percent(words.top5)


def _cloze(cloze: Cloze) -> str:
    scores = [*cloze.by_category().items(), (ALL_SOURCES, cloze.score)]
    rows = [(_source(name), str(score.top1.count), *_cloze_shares(name, score)) for name, score in scores]
    return (
        "## Cloze set\n\nEveryday sentences of our own with one obvious missing word (`assets/evaluation`). Good words "
        "other than those listed there count as wrong.\n\n"
        + _table(("category", "sentences", "first guess", "in the top five"), rows)
        + _impossible(cloze)
    )


def _impossible(cloze: Cloze) -> str:
    """Empty where every sentence can be answered."""
    every, possible = len(cloze.answers), cloze.score_of_possible
    count = possible.top1.count
    if count == every:
        return ""
    return (
        f"\n{every - count} of the {every} have no answer that is one token of this vocabulary, so they cannot be "
        f"right. Of the {count} that can be: {_percent(possible.top1)} first, {_percent(possible.top5)} in the "
        "top five.\n"
    )


def _cloze_shares(name: str, score: ClozeScore) -> tuple[str, str]:
    """Counts in a category, where a percentage would say more than is known."""
    return (_percent(score.top1), _percent(score.top5)) if name == ALL_SOURCES else (_of(score.top1), _of(score.top5))


def _minimal_pairs(pairs: MinimalPairs) -> str:
    rows = [(name, str(right.count), _of(right)) for name, right in pairs.by_phenomenon().items()]
    rows.append((_source(ALL_SOURCES), str(pairs.right.count), _percent(pairs.right)))
    return (
        "## Minimal pairs\n\nA right sentence and a wrong one that differ as little as possible: in how many pairs is "
        "the right one more likely (pseudo-log-likelihood)? Chance is one half.\n\n"
        + _table(("phenomenon", "pairs", "right"), rows)
        + _different_lengths(pairs)
    )


def _different_lengths(pairs: MinimalPairs) -> str:
    different, every = pairs.of_different_length, len(pairs.preferences)
    if not different:
        return "\nIn this vocabulary both sentences of every pair have the same number of tokens.\n"
    return (
        f"\nIn {different} of the {every} pairs one sentence has more tokens in this vocabulary, which lowers its "
        "score whatever it says.\n"
    )


def _heads(census: HeadCensus) -> str:
    rows = [
        (kind, str(count), ", ".join(f"{h.layer + 1}.{h.number + 1}" for h in census.heads if h.kind == kind))
        for kind, count in census.counts().items()
    ]
    return (
        f"## What the heads do\n\nThe most frequent kind of each of the {len(census.heads)} heads in "
        f"{census.texts} held-out pairs of sentences (layer.head, counted from 1).\n\n"
        + _table(("kind", "heads", "which"), rows)
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', '/') for cell in line)} |\n" for line in lines)


def _source(name: str) -> str:
    return "**all**" if name == ALL_SOURCES else name


def _number(estimate: Estimate) -> str:
    return _with_error(f"{estimate.value:.3f}", f"{estimate.standard_error:.3f}", estimate)


def _percent(estimate: Estimate) -> str:
    return _with_error(f"{estimate.value:.1%}", f"{100 * estimate.standard_error:.1f}", estimate)


def _with_error(value: str, error: str, estimate: Estimate) -> str:
    if not estimate.count:
        return "none"
    return value if math.isnan(estimate.standard_error) else f"{value} ± {error}"


def _of(estimate: Estimate) -> str:
    return f"{round(estimate.value * estimate.count)} of {estimate.count}"


def _filled(answer: ClozeAnswer) -> str:
    return answer.sentence.text.replace(MASK, f"**{answer.sentence.answers[0]}**")


def _guesses(answer: ClozeAnswer) -> list[str]:
    """The five guesses with their probabilities in percent, those that are right in bold."""
    shown = []
    for guess in answer.guesses:
        bold = "**" if guess.id in answer.accepted else ""
        shown.append(f"{bold}{guess.token.lstrip(_MARKS)}{bold} {guess.probability:.0%}")
    return shown
