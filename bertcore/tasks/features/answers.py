"""Features of questions about passages: windows that overlap, as run_squad.py of google-research/bert cuts them."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bertcore.errors import BertcoreError
from bertcore.tasks.examples import AnswerExample
from bertcore.tasks.features.kinds import SpanFeatures
from bertcore.tasks.features.ragged import Ragged
from bertcore.tasks.features.tokenise import SequenceWriter, portions, text_ids, text_pieces
from bertcore.tokenizer.tokenizer import Tokenizer

DOC_STRIDE, MAX_QUESTION_TOKENS = 128, 64  # the defaults of google-research/bert


def span_features(
    examples: Sequence[AnswerExample],
    tokenizer: Tokenizer,
    max_length: int,
    doc_stride: int = DOC_STRIDE,
    max_question_tokens: int = MAX_QUESTION_TOKENS,
) -> SpanFeatures:
    """Question and passage as a pair. Where the passage does not fit, a window begins every `doc_stride` tokens of it.

    The question loses what is beyond `max_question_tokens`, or beyond half of the room. A window that does not hold
    the whole answer (the first one given) is labelled with position 0, [CLS].
    Raises BertcoreError for an answer that does not stand where it is said to, or a room without place for a passage.
    """
    framing = tokenizer.framing
    room = max_length - framing.pair.specials
    if room < 2 or doc_stride < 1:
        raise BertcoreError(
            f"A window of {max_length} tokens with a stride of {doc_stride} has no room for a passage; raise them."
        )
    writer, offsets = SequenceWriter(), []
    passage: list[tuple[int, int, int]] = []
    answers: list[tuple[int, int]] = []
    example_of: list[int] = []
    for portion in portions(len(examples)):
        questions = text_ids(tokenizer, [examples[i].question for i in portion])
        passages = text_pieces(tokenizer, [examples[i].passage for i in portion])
        for i, question, pieces in zip(portion, questions, passages, strict=True):
            kept = question[: min(max_question_tokens, room // 2)]
            spans = np.array(pieces.offsets, dtype=np.int32).reshape(-1, 2)
            answer = _answer_tokens(i, examples[i], spans)
            offsets.append(spans)
            begin = len(framing.pair.before) + len(kept) + len(framing.pair.between)
            for first, count in windows(len(pieces.ids), room - len(kept), doc_stride):
                ids, segments = framing.framed(kept, pieces.ids[first : first + count])
                writer.add(ids, segments)
                passage.append((begin, count, first))
                answers.append(_in_window(answer, begin, count, first))
                example_of.append(i)
    starts = np.cumsum([0, *(len(spans) for spans in offsets)])
    return SpanFeatures(
        "span",
        "span",
        examples,
        (),
        *writer.done(),
        np.array(example_of, dtype=np.int64),
        True,  # no answer is an answer too
        np.array(answers, dtype=np.int64).reshape(-1, 2),
        np.array(passage, dtype=np.int64).reshape(-1, 3),
        Ragged(np.concatenate([np.zeros((0, 2), np.int32), *offsets]), starts),
    )


def windows(tokens: int, room: int, stride: int) -> Iterator[tuple[int, int]]:
    """First token and number of tokens of each window; the last one ends with the passage. At least one."""
    first = 0
    while first + room < tokens:
        yield first, room
        first += min(room, stride)
    yield first, tokens - first


def _answer_tokens(place: int, example: AnswerExample, offsets: NDArray[np.int32]) -> tuple[int, int] | None:
    """First and last token of the passage that share a character with the answer; None without one."""
    if not example.answers:
        return None
    text, start = example.answers[0]
    if not text or start < 0 or example.passage[start : start + len(text)] != text:
        raise BertcoreError(
            f"Example {place + 1} ({example.id}): the answer “{text}” is not at character {start} of its passage."
        )
    touched = np.flatnonzero((offsets[:, 1] > start) & (offsets[:, 0] < start + len(text)))
    return (int(touched[0]), int(touched[-1])) if len(touched) else None


def _in_window(answer: tuple[int, int] | None, begin: int, count: int, first: int) -> tuple[int, int]:
    """Tokens of the passage as places in a window; 0 and 0 where it does not hold all of them."""
    if answer is None or answer[0] < first or answer[1] >= first + count:
        return 0, 0
    return begin + answer[0] - first, begin + answer[1] - first
