"""All that is measured of a pretrained model, in one object: what its card says."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.data.cloze import read_cloze
from bertcore.data.text import BLOCKS, TextFormat
from bertcore.errors import BertcoreError
from bertcore.evaluation.sets import (
    Cloze,
    MinimalPairs,
    answer_cloze,
    cloze_files,
    judge_minimal_pairs,
    read_minimal_pairs,
)
from bertcore.files import jsonable
from bertcore.locations import minimal_pairs_file
from model_report.documents import ALL_SOURCES, EvaluationText, held_out_text, whole_documents, whole_files
from model_report.head_census import TEXTS, HeadCensus, head_census, sentence_pairs
from model_report.held_out import (
    MaskedWords,
    NextSentences,
    PositionRange,
    WordSummary,
    masked_words,
    next_sentences,
    words_by_position,
    words_of_single_sentences,
)

REPORT_VERSION = 3

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Effort:
    """How much is measured, of each file or kind of text: enough for standard errors of about half a percentage point
    for masked words, and one for next sentence."""

    length: int = 128  # tokens of a sequence; as many as the model reads, if fewer
    most_tokens: int = 150_000  # of whole documents, drawn at random
    single_sentences: int = 3000  # read without context
    pair_windows: int = 800  # for next sentence; up to four pairs each
    full_sequences: int = 200  # of 512 tokens, for the figures by position; of all files together
    head_texts: int = TEXTS  # of all files together


@dataclass(frozen=True)
class TextReport:
    """Figures by row, a file or a kind of text, and of all masked words together under "all".

    Single sentences and next sentence have no row of all: at most so many are taken of each row, so that a sum of them
    would weight the rows otherwise than their text does.
    """

    is_whole: bool  # whole files; else their held-out part
    documents: int  # that are measured ...
    documents_in_text: int  # ... of so many
    length: int  # tokens of a sequence
    words: dict[str, WordSummary]
    single_sentences: dict[str, WordSummary]  # read without context
    next_sentence: dict[str, dict[str, NextSentences]]  # row -> where the random B comes from -> figures
    by_position: list[PositionRange]


@dataclass(frozen=True)
class ModelReport:
    name: str
    step: int | None
    parameters: int
    text: TextReport | None  # None: no text was given
    cloze: Cloze
    second_cloze: Cloze | None  # the test set: no setting was chosen by it
    minimal_pairs: MinimalPairs | None  # None of a model in another language
    heads: HeadCensus | None

    def to_dict(self) -> dict[str, Any]:
        """JSON's own types; a number that is not known is None."""
        values: dict[str, Any] = {"format_version": REPORT_VERSION, **asdict(self)}
        for name in ("cloze", "second_cloze", "minimal_pairs"):
            found_set = getattr(self, name)
            values[name] = found_set.to_dict() if found_set is not None else None
        if self.text is not None:
            for name, words in self.text.words.items():
                values["text"]["words"][name]["perplexity"] = words.perplexity
        if self.heads is not None:
            values["heads"]["counts"] = self.heads.counts()
        found: dict[str, Any] = jsonable(values)
        return found


def measure_model(
    checkpoint: Checkpoint,
    kinds: Mapping[str, Sequence[Path]] | None = None,
    *,
    unconnected: Collection[Path] = (),
    form: TextFormat = BLOCKS,
    effort: Effort | None = None,
    tell: Tell = lambda sentence: None,
    cloze_sets: Sequence[Path] = (),
) -> ModelReport:
    """Our own sets, and whole files by kind of text ("news": [...]), none of which the model was trained on.

    `cloze_sets`, the first and the second, are read in place of the English sets, for a model in another language.

    `unconnected` are those of the files whose sentences have nothing to do with one another: they are not asked for
    the next sentence. `tell` is called with a sentence about what is being measured. The same checkpoint, files and
    effort give the same report. Raises BertcoreError where the model has no masked-word head, or the text cannot be
    read.
    """
    read = partial(whole_documents, kinds or {}, checkpoint.tokenizer, form, unconnected)
    return _measured(checkpoint, read if kinds else None, effort or Effort(), tell, cloze_sets)


def measure_model_on_files(
    checkpoint: Checkpoint,
    files: Sequence[Path],
    *,
    whole: bool = False,
    form: TextFormat = BLOCKS,
    effort: Effort | None = None,
    tell: Tell = lambda sentence: None,
) -> ModelReport:
    """As `measure_model`, a row for each file: what a run on all of these files holds out; or, with `whole`, all of
    it."""
    read = partial(whole_files if whole else held_out_text, files, checkpoint.tokenizer, form)
    return _measured(checkpoint, read if files else None, effort or Effort(), tell)


def _measured(
    checkpoint: Checkpoint,
    read: Callable[[], EvaluationText] | None,
    effort: Effort,
    tell: Tell,
    cloze_sets: Sequence[Path] = (),
) -> ModelReport:
    if "mlm" in checkpoint.missing:
        raise BertcoreError(checkpoint.missing["mlm"])
    tell("The cloze sets and the minimal pairs.")
    files = cloze_sets or cloze_files()
    cloze, *second_cloze = (answer_cloze(checkpoint, read_cloze(file)) for file in files)
    pairs = None if cloze_sets else judge_minimal_pairs(checkpoint, read_minimal_pairs(minimal_pairs_file()))
    text_report = heads = None
    if read is not None:
        tell("Reading the text.")
        text = read().limited(effort.most_tokens)
        text_report = measure_text(checkpoint, text, effort, tell)
        tell(f"The heads, on {effort.head_texts} texts.")
        connected = [document for document in text.documents if document.is_connected]
        heads = head_census(checkpoint, sentence_pairs(connected, effort.head_texts))
    return ModelReport(
        name=checkpoint.name,
        step=checkpoint.step,
        parameters=checkpoint.parameters,
        text=text_report,
        cloze=cloze,
        second_cloze=next(iter(second_cloze), None),
        minimal_pairs=pairs,
        heads=heads,
    )


def measure_text(
    checkpoint: Checkpoint, text: EvaluationText, effort: Effort, tell: Tell = lambda sentence: None
) -> TextReport:
    """Masked words, single sentences and next sentence of each row, and masked words by position."""
    length = min(effort.length, checkpoint.config.max_length)
    words: dict[str, WordSummary] = {}
    single_sentences: dict[str, WordSummary] = {}
    next_sentence: dict[str, dict[str, NextSentences]] = {}
    every: list[MaskedWords] = []
    first = 0  # number of a row's first document among all
    for name, documents in text.rows.items():
        tell(f"{name}: masked words, single sentences, next sentence.")
        found = masked_words(checkpoint, documents, length)
        words[name] = found.summary()
        every.append(found.counted_from(first))
        first += len(documents)
        single_sentences[name] = words_of_single_sentences(
            checkpoint, documents, length, effort.single_sentences
        ).summary()
        next_sentence[name] = next_sentences(checkpoint, documents, text.documents, length, effort.pair_windows)
    if len(text.rows) > 1:
        words[ALL_SOURCES] = MaskedWords.joined(every).summary()
    tell("By position in the sequence.")
    return TextReport(
        is_whole=text.is_whole,
        documents=len(text.documents),
        documents_in_text=text.documents_in_text,
        length=length,
        words=words,
        single_sentences=single_sentences,
        next_sentence={name: found for name, found in next_sentence.items() if found},
        by_position=words_by_position(checkpoint, text.documents, effort.full_sequences),
    )
