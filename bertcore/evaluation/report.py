"""All that is measured of a pretrained model, in one object: what its card says."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.data.text import BLOCKS, TextFormat
from bertcore.errors import BertcoreError
from bertcore.evaluation.documents import ALL_SOURCES, Document, by_source, held_out_documents
from bertcore.evaluation.head_census import TEXTS, HeadCensus, head_census, sentence_pairs
from bertcore.evaluation.held_out import (
    MaskedWords,
    NextSentences,
    PositionRange,
    WordSummary,
    masked_words,
    next_sentences,
    words_by_position,
    words_of_single_sentences,
)
from bertcore.evaluation.sets import (
    Cloze,
    MinimalPairs,
    answer_cloze,
    cloze_file,
    judge_minimal_pairs,
    minimal_pairs_file,
    read_cloze,
    read_minimal_pairs,
)
from bertcore.files import jsonable

FORMAT_VERSION = 2

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Effort:
    """How much is measured; enough for a standard error of about half a percent."""

    length: int = 128  # tokens of a sequence; as many as the model reads, if fewer
    most_tokens: int = 1_000_000  # of each file's held-out documents, from the first on
    single_sentences: int = 3000  # of each file, read alone
    pair_windows: int = 1500  # for the next sentence, of each file; two pairs each
    full_sequences: int = 400  # of 512 tokens, for the figures by place
    head_texts: int = TEXTS


@dataclass(frozen=True)
class HeldOutReport:
    """Figures on held-out documents by file, and of all files together under "all".

    Single sentences have none of all: at most so many are taken of each file, so that a sum of them would weigh the
    files otherwise than their text does.
    """

    length: int  # tokens of a sequence
    words: dict[str, WordSummary]
    single_sentences: dict[str, WordSummary]  # read by themselves; of each file, not of all
    next_sentence: dict[str, NextSentences]  # a file: a random B comes from the same file; "all": from any document
    by_position: list[PositionRange]


@dataclass(frozen=True)
class ModelReport:
    name: str
    step: int | None
    parameters: int
    held_out: HeldOutReport | None  # None: no text was given
    cloze: Cloze
    minimal_pairs: MinimalPairs
    heads: HeadCensus | None

    def to_dict(self) -> dict[str, Any]:
        """JSON's own types; a number that is not known is None."""
        values: dict[str, Any] = {"format_version": FORMAT_VERSION, **asdict(self)}
        values["cloze"] = {
            **asdict(self.cloze.score),
            "possible": asdict(self.cloze.score_of_possible),
            "by_category": {name: asdict(score) for name, score in self.cloze.by_category().items()},
            "sentences": [
                {**asdict(answer.sentence), "guesses": [asdict(guess) for guess in answer.guesses], "rank": answer.rank}
                for answer in self.cloze.answers
            ],
        }
        values["minimal_pairs"] = {
            "right": asdict(self.minimal_pairs.right),
            "of_different_length": self.minimal_pairs.of_different_length,
            "by_phenomenon": {name: asdict(found) for name, found in self.minimal_pairs.by_phenomenon().items()},
            "pairs": [
                {
                    **asdict(p.pair),
                    **{name: value for name, value in vars(p).items() if name != "pair"},
                    "right": p.is_right,
                }
                for p in self.minimal_pairs.preferences
            ],
        }
        if self.held_out is not None:
            for name, words in self.held_out.words.items():
                values["held_out"]["words"][name]["perplexity"] = words.perplexity
        if self.heads is not None:
            values["heads"]["counts"] = self.heads.counts()
        found: dict[str, Any] = jsonable(values)
        return found


def measure_model(
    checkpoint: Checkpoint,
    files: Sequence[Path] = (),
    form: TextFormat = BLOCKS,
    effort: Effort | None = None,
    tell: Tell = lambda sentence: None,
) -> ModelReport:
    """Everything: the sets of our own, and the held-out documents of the text that the model learned from.

    `tell` hears what is being measured. The same checkpoint, files and effort give the same report.
    Raises BertcoreError where the model has no masked-word head, or the text cannot be read.
    """
    effort = effort or Effort()
    if "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    tell("The cloze set and the minimal pairs.")
    cloze = answer_cloze(checkpoint, read_cloze(cloze_file()))
    pairs = judge_minimal_pairs(checkpoint, read_minimal_pairs(minimal_pairs_file()))
    held_out = heads = None
    if files:
        tell("Reading the text.")
        documents = held_out_documents(files, checkpoint.tokenizer, form)
        held_out = measure_held_out(checkpoint, documents, effort, tell)
        tell(f"The heads, on {effort.head_texts} texts.")
        heads = head_census(checkpoint, sentence_pairs(documents, effort.head_texts))
    return ModelReport(
        name=checkpoint.name,
        step=checkpoint.step,
        parameters=checkpoint.parameters,
        held_out=held_out,
        cloze=cloze,
        minimal_pairs=pairs,
        heads=heads,
    )


def measure_held_out(
    checkpoint: Checkpoint, documents: Sequence[Document], effort: Effort, tell: Tell = lambda sentence: None
) -> HeldOutReport:
    """Masked words and next sentence of each source and of all, and masked words by place."""
    length = min(effort.length, checkpoint.config.max_length)
    sources = {name: _first_of(group, effort.most_tokens) for name, group in by_source(documents).items()}
    measured = [document for group in sources.values() for document in group]
    words: dict[str, WordSummary] = {}
    single_sentences: dict[str, WordSummary] = {}
    next_sentence: dict[str, NextSentences | None] = {}
    every: list[MaskedWords] = []
    first = 0  # number of a source's first document among all measured ones
    for name, group in sources.items():
        tell(f"{name}: masked words, next sentence.")
        found = masked_words(checkpoint, group, length)
        words[name] = found.summary()
        every.append(found.counted_from(first))
        single_sentences[name] = words_of_single_sentences(checkpoint, group, length, effort.single_sentences).summary()
        first += len(group)
        next_sentence[name] = next_sentences(checkpoint, group, length, effort.pair_windows)
    if len(sources) > 1:
        tell("All files together.")
        words[ALL_SOURCES] = MaskedWords.joined(every).summary()
        next_sentence[ALL_SOURCES] = next_sentences(checkpoint, measured, length, effort.pair_windows)
    tell("By position in the sequence.")
    return HeldOutReport(
        length=length,
        words=words,
        single_sentences=single_sentences,
        next_sentence={name: found for name, found in next_sentence.items() if found is not None},
        by_position=words_by_position(checkpoint, measured, effort.full_sequences),
    )


def _first_of(documents: Sequence[Document], most_tokens: int) -> list[Document]:
    """The first documents that have so many tokens together; one in any case."""
    taken: list[Document] = []
    tokens = 0
    for document in documents:
        if taken and tokens + len(document) > most_tokens:
            break
        taken.append(document)
        tokens += len(document)
    return taken
