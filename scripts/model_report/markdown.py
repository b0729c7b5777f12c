"""A model's report as Markdown: the figures for its card, and the whole cloze set with the model's guesses."""

import math
from collections.abc import Iterable, Sequence

from bertcore.evaluation.sets import Cloze, ClozeAnswer, ClozeScore, Estimate, MinimalPairs
from bertcore.tokenizer.special_tokens import MASK, SPACE_MARKS
from model_report.documents import ALL_SOURCES
from model_report.estimates import CALIBRATION_BINS
from model_report.head_census import HeadCensus
from model_report.held_out import WordSummary
from model_report.report import ModelReport, TextReport

_MARKS = "".join(SPACE_MARKS.values())  # before a word, in vocabularies that mark spaces

ERROR_NOTE = "± is one standard error, from how much the documents differ."

HELD_OUT_NOTE = (
    "Which documents are held out follows from a hash of their text. Where a book was cut into several documents, "
    "other parts of it may be in the training text."
)

CALIBRATION_NOTE = (
    f"*Sure* is the mean probability of the likeliest word behind {MASK}; if the model knew what it does not know, it "
    f"would equal *right at {MASK}*. The calibration error is how far the two differ, the mean over {CALIBRATION_BINS} "
    "bins of equal width (Guo et al. 2017)."
)

PREDICTED_NOTE = (
    f"15% of the tokens are to be predicted. As in training, 8 in 10 of these are replaced by {MASK}, 1 in 10 by a "
    "random word, and 1 in 10 is left as it is and can simply be copied. *Right* counts all of them, as is usual (so "
    f"do loss, perplexity and the top five); *right at {MASK}* counts only the first kind."
)


def figures(report: ModelReport) -> str:
    """All figures as sections of a card, each with a heading of the second level."""
    sections = []
    if report.text is not None:
        text = report.text
        sections += [_masked_words(text), _single_sentences(text), _next_sentence(text), _by_position(text)]
    sections.append(_cloze(report.cloze))
    if report.second_cloze is not None:
        sections.append(_second_cloze(report.second_cloze))
    if report.minimal_pairs is not None:
        sections.append(_minimal_pairs(report.minimal_pairs))
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


def _masked_words(text: TextReport) -> str:
    rows = [
        (
            _source(name),
            f"{words.loss.count:,} in {words.documents:,}",
            _number(words.loss),
            f"{words.perplexity:.1f}",
            _percent(words.top1),
            _percent(words.top1_masked),
            _percent(words.top5),
            *_calibration(words),
        )
        for name, words in text.words.items()
    ]
    head = (
        "text",
        "masked words in documents",
        "loss (nats)",
        "perplexity",
        "right",
        f"right at {MASK}",
        "in the top five",
        *_CALIBRATION_HEAD,
    )
    which = "" if text.is_whole else "held-out "
    measured = f"{text.documents:,} of the {text.documents_in_text:,} documents"
    lines = [
        f"## {'Masked words' if text.is_whole else 'Held-out text'}\n",
        f"Whole {which}documents ({measured}) in sequences of up to {text.length} tokens. {PREDICTED_NOTE}\n",
        _table(head, rows),
        f"{ERROR_NOTE}{'' if text.is_whole else f' {HELD_OUT_NOTE}'} {CALIBRATION_NOTE}",
    ]
    return "\n".join(lines) + "\n"


_CALIBRATION_HEAD = ("sure", "calibration error")


def _calibration(words: WordSummary) -> tuple[str, str]:
    error = words.calibration_error
    return _percent(words.confidence), "none" if math.isnan(error) else f"{error:.3f}"


def _next_sentence(text: TextReport) -> str:
    if not text.next_sentence:
        return ""
    rows = [
        (name, place, f"{found.true_next.count:,}", *map(_percent, (found.true_next, found.random_next, found.right)))
        for name, of_row in text.next_sentence.items()
        for place, found in of_row.items()
    ]
    head = ("text", "random B from", "windows", "true B accepted", "random B rejected", "balanced accuracy")
    return (
        "## Next sentence\n\nDoes B follow A? Pairs of whole sentences without masks: each A once with its own B, and "
        "once with a random B of about the same length. Balanced accuracy is the mean of the share of true Bs that "
        "are accepted and the share of random ones that are rejected; chance is one half. The closer the place a "
        f"random B comes from, the less its topic and style give it away.\n\n{_table(head, rows)}"
    )


def _single_sentences(text: TextReport) -> str:
    rows = [
        (
            _source(name),
            f"{words.loss.count:,} in {words.documents:,}",
            *_words(words)[:2],
            _percent(words.top5),
            *_calibration(words),
        )
        for name, words in text.single_sentences.items()
    ]
    head = ("text", "masked words in documents", "loss (nats)", "right", "in the top five", *_CALIBRATION_HEAD)
    summed = (
        "\nThere is no row for all: each row has at most the same number of sentences, however much text there is, so "
        "such a row would weight the text differently from the one above.\n"
    )
    return (
        "## Single sentences\n\nSentences without context, as a person types one. 15% of the tokens "
        f"of each, at least one, are to be predicted, all of them replaced by {MASK}: compare with *right at {MASK}* "
        f"above.\n\n{_table(head, rows)}{summed if len(rows) > 1 else ''}"
    )


def _by_position(text: TextReport) -> str:
    if not text.by_position:
        return ""
    rows = [
        (f"{part.first + 1} to {part.stop}", f"{words.loss.count:,}", *_words(words))
        for part in text.by_position
        for words in (part.words,)
    ]
    table = _table(("position", "masked words", "loss (nats)", "right", f"right at {MASK}", "in the top five"), rows)
    longest = text.by_position[-1].stop
    return (
        f"## By position in the sequence\n\nFull sequences of {longest} tokens, the same ones in every row.\n\n{table}"
    )


def _words(words: WordSummary) -> tuple[str, str, str, str]:
    return _number(words.loss), _percent(words.top1), _percent(words.top1_masked), _percent(words.top5)


def _cloze(cloze: Cloze) -> str:
    return (
        "## Cloze set\n\nEveryday sentences of our own with one obvious missing word (`assets/evaluation`). Good words "
        "other than those listed there count as wrong.\n\n" + _cloze_scores(cloze)
    )


def _second_cloze(cloze: Cloze) -> str:
    return (
        "## Second cloze set\n\nA test set: sentences written later, by which no setting was chosen.\n\n"
        + _cloze_scores(cloze)
    )


def _cloze_scores(cloze: Cloze) -> str:
    scores = [*cloze.by_category().items(), (ALL_SOURCES, cloze.score)]
    rows = [(_source(name), str(score.top1.count), *_cloze_shares(name, score)) for name, score in scores]
    return _table(("category", "sentences", "first guess", "in the top five"), rows) + _impossible(cloze)


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
        f"{census.texts} pairs of sentences (layer.head, counted from 1).\n\n"
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
