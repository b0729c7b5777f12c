"""Features of sentences in words with a tag each: words to pieces, the first piece of a word carries its tag."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.tasks.examples import TaggedExample
from bertcore.tasks.features.kinds import TagFeatures
from bertcore.tasks.features.ragged import Ragged
from bertcore.tasks.features.texts import label_number
from bertcore.tasks.features.tokenise import Pieces, SequenceWriter, portions, text_pieces
from bertcore.tokenizer.tokenizer import Tokenizer


def tag_features(
    examples: Sequence[TaggedExample], tokenizer: Tokenizer, labels: tuple[str, ...], max_length: int, head: str = "tag"
) -> TagFeatures:
    """The words with a space between them, tokenised as a typed sentence is; `head` may be "crf".

    Words that lie beyond `max_length` tokens are not seen: they have no label, and are predicted as "O".
    Raises BertcoreError for a tag that `labels` does not have, or as many tags as there are no words.
    """
    writer, framing = SequenceWriter(), tokenizer.framing
    room = max(0, max_length - framing.single.specials)
    first_pieces: list[list[int]] = []
    for portion in portions(len(examples)):
        for pieces, i in zip(
            text_pieces(tokenizer, [" ".join(examples[i].words) for i in portion]), portion, strict=True
        ):
            ids, segments = framing.framed(pieces.ids[:room], None)
            first_pieces.append(_first_pieces(pieces, examples[i].words, room, len(framing.single.before), len(ids)))
            writer.add(ids, segments)
    all_ids, all_segments = writer.done()
    words = Ragged.of(first_pieces)
    answers = Ragged(_answers(examples, words, labels), all_ids.starts)
    known = all(example.tags is not None for example in examples)
    numbers = np.arange(len(examples))
    return TagFeatures("tag", head, examples, labels, all_ids, all_segments, numbers, known, words, answers)


def _first_pieces(pieces: Pieces, words: Sequence[str], room: int, before: int, length: int) -> list[int]:
    """(length) the word that each token is the first piece of, else -1; `before` special tokens stand in front."""
    words_begun = [-1] * length
    # A word begins with the space before it, as some tokens do.
    begins = [0, *accumulate(len(word) + (i > 0) for i, word in enumerate(words[:-1]))]
    seen: set[int] = set()
    for place, (start, _) in enumerate(pieces.offsets[:room], before):
        word = bisect_right(begins, start) - 1
        if word not in seen:
            seen.add(word)
            words_begun[place] = word
    return words_begun


def _answers(examples: Sequence[TaggedExample], words: Ragged, labels: tuple[str, ...]) -> NDArray[np.int32]:
    """(T) the tag's number where a word begins, else -100."""
    numbers = {label: number for number, label in enumerate(labels)}
    tags = Ragged.of(_tag_numbers(i, example, numbers) for i, example in enumerate(examples))
    is_first = words.values >= 0
    example_of = np.repeat(np.arange(len(examples)), words.lengths)
    answers = np.full(len(words.values), NO_LABEL, dtype=np.int32)
    answers[is_first] = tags.values[tags.starts[example_of[is_first]] + words.values[is_first]]
    return answers


def _tag_numbers(place: int, example: TaggedExample, numbers: dict[str, int]) -> list[int]:
    if example.tags is None:
        return [NO_LABEL] * len(example.words)
    if len(example.tags) != len(example.words):
        raise BertcoreError(f"Example {place + 1} has {len(example.words)} words and {len(example.tags)} tags.")
    return [label_number(place, tag, numbers, "tag") for tag in example.tags]
