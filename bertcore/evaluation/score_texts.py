"""Many texts at once: sentences, pairs or templates from a file, and what a model makes of each.

A template has several words at one place and stands for every combination: "The [doctor|nurse] said [he|she] left."
"""

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bertcore.analysis.passes import Batch, as_text, for_each, predict_heads, sentence_vectors
from bertcore.analysis.predict import HeadOutputs, cut_off_mask, next_sentence, top_words
from bertcore.analysis.vectors import cosine
from bertcore.analysis.words import pieces_at, surprises, word_probability
from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError
from bertcore.limits import MOST_LISTED_TEXTS
from bertcore.progress import ReportProgress, no_progress
from bertcore.tasks.kinds.base import Example, Prediction
from bertcore.tasks.predict import as_example, task_kind
from bertcore.tasks.readers.lines import line_of, numbered_lines
from bertcore.tokenizer.tokenizer import Encoding
from bertcore.training.task_files import predict_as_learned

MOST_CHARACTERS = 20_000_000  # of all texts of one list: a short template of long lines stands for gigabytes
_PLACE = re.compile(r"\[([^\[\]|]*(?:\|[^\[\]|]*)+)\]")  # [MASK] has no bar


@dataclass(frozen=True)
class ListedText:
    a: str
    b: str | None = None
    choices: tuple[str, ...] = ()  # the word at each place of its template
    place: str = "the text"  # where it is from, for messages: "texts.txt, line 3"


@dataclass(frozen=True)
class TextScore:
    """What a model says about one text; None where it has no head for it, or the text nothing to say it about."""

    a: str
    b: str | None
    choices: tuple[str, ...]
    tokens: int  # that are read, with the special ones
    log_likelihood: float | None  # pseudo-log-likelihood in nats: the sum of ln p of each token, all others seen
    surprise_bits: float | None  # mean of -log2 p of its tokens
    word: str | None  # at the first [MASK]: the one asked about, or the likeliest
    word_probability: float | None
    next_sentence: float | None  # probability that B follows A
    answer: str | float | None  # of a fine-tuned model
    answer_probability: float | None  # of its label
    similarity: float | None  # cosine of A and B, of a sentence encoder
    dropped: int  # tokens that are not read, as the model reads only so many: what is said is of the others


def read_listed_texts(file: Path) -> list[ListedText]:
    """The texts of a file, as `read_lines` has them. Raises BertcoreError too for a file that cannot be read."""
    texts = read_lines((line_of(file, number), line) for number, line in numbered_lines(file))
    if not texts:
        raise BertcoreError(f"The file {file} has no texts; write one on each line.")
    return texts


def read_lines(lines: Iterable[tuple[str, str]]) -> list[ListedText]:
    """(place, line) each: one text on a line, or a tab between A and B; templates are expanded, and empty lines left
    out.

    Raises BertcoreError for more than MOST_LISTED_TEXTS, and for a line of more than two columns.
    """
    texts: list[ListedText] = []
    characters = 0
    for place, line in lines:
        if not line.strip():
            continue
        new = list(listed_texts(line, place))
        characters += sum(len(text.a) + len(text.b or "") for text in new)
        _refuse_too_many(place, len(texts) + len(new), characters)
        texts += new
    return texts


def listed_texts(line: str, place: str = "the text") -> Iterator[ListedText]:
    """A line's texts: one, or all that its template stands for; the last place changes fastest.

    Raises BertcoreError where it has more than two columns, or stands for more than the limits of a file.
    """
    if (tabs := line.count("\t")) > 1:
        raise BertcoreError(f"{place}: expected a text, or two with a tab between them, found {tabs} tabs.")
    parts = _PLACE.split(line)  # what is around the places, and in between their words
    count = 1
    for part in parts[1::2]:
        count *= part.count("|") + 1
        _refuse_too_many(place, count)
    _refuse_too_many(place, count, count * len(line))
    options = [part.split("|") for part in parts[1::2]]
    for choices in itertools.product(*options):
        words = itertools.chain.from_iterable(itertools.zip_longest(parts[::2], choices, fillvalue=""))
        a, _, b = "".join(words).partition("\t")
        yield ListedText(a.strip(), b.strip() or None, choices, place)


def _refuse_too_many(place: str, texts: int, characters: int = 0) -> None:
    if texts > MOST_LISTED_TEXTS:
        raise BertcoreError(f"{place}: this makes more than {MOST_LISTED_TEXTS:,} texts; give fewer lines or choices.")
    if characters > MOST_CHARACTERS:
        raise BertcoreError(
            f"{place}: this makes texts of more than {MOST_CHARACTERS:,} characters in all; "
            "give fewer choices or shorter texts."
        )


def score_texts(
    checkpoint: Checkpoint, texts: Sequence[ListedText], word: str | None = None, progress: ReportProgress = no_progress
) -> list[TextScore]:
    """Everything that the model's heads say of each text; `word` is asked about at its first [MASK].

    Raises BertcoreError where the model has no head at all for these texts, and for a word that it cannot be asked.
    """
    kind = task_kind(checkpoint)
    examples = [_example(kind, text) for text in texts] if kind is not None else []
    answers: Sequence[Prediction | None] = predict_as_learned(checkpoint, examples) if examples else [None] * len(texts)
    encodings = [checkpoint.tokenizer.encode(text.a, text.b, checkpoint.config.max_length) for text in texts]
    for text, encoding in zip(texts, encodings, strict=True):
        if not any(part != "special" for part in encoding.parts):
            raise BertcoreError(f"{text.place}: there is no text; write at least one word.")
    masks = [_mask_of(checkpoint, text, encoding, word) for text, encoding in zip(texts, encodings, strict=True)]
    said, bits_of = _said(checkpoint, encodings, masks, word), _surprises(checkpoint, encodings, progress)
    scores = []
    for text, encoding, answer, bits, of_heads, similarity in zip(
        texts, encodings, answers, bits_of, said, _similarities(checkpoint, texts), strict=True
    ):
        scores.append(
            TextScore(
                a=text.a,
                b=text.b,
                choices=text.choices,
                tokens=len(encoding),
                log_likelihood=None if bits is None else -float(bits.sum()) * math.log(2),
                surprise_bits=None if bits is None else float(bits.mean()),
                **of_heads,
                answer=None if answer is None else _plain(answer.answer),
                answer_probability=None if answer is None else answer.certainty,
                similarity=similarity,
                dropped=encoding.dropped,
            )
        )
        progress(len(scores) / len(texts) if bits is None else 1.0)  # a model without an MLM head has only begun
    heads = ("log_likelihood", "word", "next_sentence", "answer", "similarity")
    if all(getattr(score, name) is None for score in scores for name in heads):
        raise BertcoreError(checkpoint.missing["mlm"])
    return scores


def mean_by_choice(scores: Iterable[TextScore]) -> list[dict[str, float]]:
    """For each place of a template, the mean of each word's texts: of the word's probability where they have a [MASK],
    else of the pseudo-log-likelihood. Empty where the texts are no template's, or of several with other places.
    """
    listed = list(scores)
    places = {len(score.choices) for score in listed}
    if len(places) != 1:
        return []
    means = []
    for place in range(places.pop()):
        by_word: dict[str, list[float]] = {}
        for score in listed:
            value = score.log_likelihood if score.word_probability is None else score.word_probability
            if value is not None:
                by_word.setdefault(score.choices[place], []).append(value)
        means.append({word: float(np.mean(values)) for word, values in by_word.items()})
    return means


def _surprises(
    checkpoint: Checkpoint, encodings: Sequence[Encoding], progress: ReportProgress
) -> list[np.ndarray | None]:
    """-log2 p of each token but masks; None without an MLM head, or where all is masked. The most of the work."""
    mask_id = checkpoint.tokenizer.mask_id
    if checkpoint.model.mlm is None or mask_id is None:
        return [None] * len(encodings)
    found = surprises(checkpoint.model, encodings, mask_id, progress=progress)
    return [each.bits if len(each.bits) else None for each in found]


def _mask_of(checkpoint: Checkpoint, text: ListedText, encoding: Encoding, word: str | None) -> int | None:
    """Where a word is asked about: the first mask; None where none is."""
    tokenizer = checkpoint.tokenizer
    if checkpoint.model.mlm is not None and tokenizer.mask_id in encoding.ids:
        return encoding.ids.index(tokenizer.mask_id or 0)
    if word is None:
        return None
    if "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    if cut := cut_off_mask(tokenizer, encoding):
        raise BertcoreError(f"{text.place}: {cut[:1].lower()}{cut[1:]}")
    raise BertcoreError(f"{text.place}: there is no [MASK] for the word {word!r}; write one where it should be.")


def _said(
    checkpoint: Checkpoint, encodings: Sequence[Encoding], masks: Sequence[int | None], word: str | None
) -> list[dict[str, Any]]:
    """The word asked about, or the likeliest one, at the mask, and its probability; the probability that B follows."""
    model, tokenizer = checkpoint.model, checkpoint.tokenizer

    def of_text(encoding: Encoding, at: int | None, said: HeadOutputs) -> dict[str, Any]:
        follows = said.next_sentence_logits
        found: tuple[str | None, float | None] = (None, None)
        if at is not None and word is not None:
            text, pieces = as_text(model, encoding.ids, encoding.segments), pieces_at(word, tokenizer, encoding, at)
            found = word, word_probability(model, tokenizer, text, at, pieces)
        elif at is not None and said.mlm_logits is not None:
            (likeliest,) = top_words(said.mlm_logits[0], tokenizer, 1)
            found = likeliest.token, likeliest.probability
        is_next = next_sentence(follows).is_next if encoding.text_b is not None and follows is not None else None
        return {"word": found[0], "word_probability": found[1], "next_sentence": is_next}

    def of_batch(batch: Batch, _: ReportProgress) -> list[dict[str, Any]]:
        at = [masks[number] for number in batch.numbers]
        said = predict_heads(model, batch, [[] if each is None or word is not None else [each] for each in at])
        return list(map(of_text, batch.encodings, at, said))

    row = model.config.vocab_size // 1024  # a row of logits takes the room of that many tokens
    return for_each(model, encodings, of_batch, cost=lambda encoding: len(encoding) + row)


def _similarities(checkpoint: Checkpoint, texts: Sequence[ListedText]) -> list[float | None]:
    """Cosine of A and B of each pair, of a sentence encoder."""
    pairs = [(text.a, text.b) for text in texts if text.b is not None]
    if checkpoint.pooling is None or not pairs:
        return [None] * len(texts)
    most = checkpoint.config.max_length
    encodings = [checkpoint.tokenizer.encode(each, max_length=most) for pair in pairs for each in pair]
    vectors = sentence_vectors(checkpoint.model, encodings, checkpoint.pooling)  # (2 pairs,H)
    found = iter([cosine(*vectors[at : at + 2]) for at in range(0, len(vectors), 2)])
    return [None if text.b is None else next(found) for text in texts]


def _example(kind: str, text: ListedText) -> Example:
    try:
        return as_example(kind, text.a, text.b)
    except BertcoreError as error:
        raise BertcoreError(f"{text.place}: {error}") from None


def _plain(answer: object) -> str | float:
    """Tags and sets of labels in one string."""
    if isinstance(answer, str | float | int):
        return answer
    return " ".join(map(str, answer)) if isinstance(answer, tuple | list) else str(answer)
