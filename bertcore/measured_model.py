"""An opened model: what it predicts of its task, and how good it is. `LoadedModel` adds words and looking inside."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from bertcore.checkpoint.checkpoint import Checkpoint
from bertcore.errors import BertcoreError, CutOffWarning
from bertcore.progress import progress_bar, show_status
from bertcore.results import Predictions, Records
from bertcore.tasks.decoding import USUAL
from bertcore.tokenizer.tokenizer import Encoding

if TYPE_CHECKING:
    from bertcore.evaluation.report import ModelReport
    from bertcore.evaluation.score_texts import TextScore
    from bertcore.evaluation.sets import MinimalPairs
    from bertcore.tasks.examples import Example, Kind
    from bertcore.tasks.features.predictions import Prediction
    from bertcore.tasks.inference.evaluate import TaskEvaluation
    from bertcore.tasks.readers.spec import Role

Texts = list[str] | tuple[str, ...]  # several texts: a batch; whatever gives texts one by one will do
Files = str | Path | Sequence[str | Path]  # one, or several


class MeasuredModel:
    """A checkpoint with the methods of fine-tuned models and of evaluation."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.name = checkpoint.name
        self.bert = checkpoint.model  # the torch module, in evaluation mode
        self.tokenizer = checkpoint.tokenizer
        self.config = checkpoint.config
        self.output_heads = checkpoint.output_heads  # which answers it gives: "mlm", "nsp", "classify" ...
        self.missing = checkpoint.missing  # the parts that it lacks, with a sentence for each
        self.decoding = USUAL  # longest answer and length of a summary, for `predict` and `evaluate`

    def __repr__(self) -> str:
        config = self.config
        size = f"{config.num_hidden_layers} layers, {config.num_attention_heads} heads, hidden {config.hidden_size}"
        return f"<{self.name}: {size}, {self.checkpoint.parameters:,} parameters>"

    def encode(self, a: str, b: str | None = None) -> Encoding:
        """The text as the model reads it: tokens, ids, segments, offsets ..., each a list of length S.

        >>> m.encode("A cat sat.").tokens
        ['[CLS]', 'a', 'cat', 'sat', '.', '[SEP]']
        """
        return self.tokenizer.encode(a, b, max_length=self.config.max_length)

    @property
    def task_kind(self) -> Kind | None:
        """What it was taught: "classify", "tag", "span" ...; None for a model without a task."""
        from bertcore.tasks.inference.predict import task_kind

        return task_kind(self.checkpoint)

    @property
    def learned_task(self) -> str | None:
        """The task of the run that it is a snapshot of; None elsewhere."""
        from bertcore.training.task_files import data_of_run

        learned = data_of_run(self.checkpoint.folder)
        return learned.task if learned else None

    @overload
    def predict(self, a: str, b: str | None = None) -> Prediction: ...
    @overload
    def predict(self, a: Texts, b: Texts | None = None) -> Predictions: ...
    def predict(self, a: str | Texts, b: str | Texts | None = None) -> Prediction | Predictions:
        """What a fine-tuned model says: a label, a number, tags, an answer, a choice or a summary.

        `a` is a text, or the question or the beginning; `b` a second text, the passage, or the endings, one on each
        line. Warns where a text is longer than the model reads. Raises BertcoreError where the model was not taught a
        task.

        >>> sentiment = bertcore.load("runs/sentiment")
        >>> sentiment.predict("We had a wonderful day.").label in sentiment.config.labels
        True
        """
        from bertcore.tasks.inference.predict import as_example, required_kind

        kind = required_kind(self.checkpoint)
        pairs, is_single = pairs_of(a, b)
        found = self._predictions([as_example(kind, *pair) for pair in pairs])
        return found[0] if is_single else found

    def predict_file(
        self, file: str | Path, task: str | None = None, columns: Mapping[Role, str] | None = None
    ) -> Predictions:
        """The same for each example of a file, read as the model's own run reads its examples.

        Else `task` says how the file is laid out (`bertcore finetune list`), and `columns` which column has the "text"
        and "text_b". Raises BertcoreError for a file that does not fit.

        >>> len(bertcore.load("runs/sentiment").predict_file("reviews.tsv"))
        2
        """
        from bertcore.training.task_files import examples_of_file

        return self._predictions(examples_of_file(self.checkpoint, str(file), task, columns or {}))

    def score_file(self, file: str | Path, word: str | None = None) -> Records[TextScore]:
        """What the model says of each line of a file: a text, or A and B with a tab between them.

        Surprise and pseudo-log-likelihood, the probability of `word` (absent: the likeliest one) at the first [MASK],
        next sentence, a fine-tuned model's answer, similarity; None where it has no such head. A template stands for
        all its texts: "The [doctor|nurse] said [he|she] left."
        Raises BertcoreError for a file without texts, and where the model can say nothing of them.

        >>> [score.choices for score in m.score_file("templates.txt")]
        [('cat', 'sat'), ('cat', 'sang'), ('dog', 'sat'), ('dog', 'sang')]
        """
        from bertcore.evaluation.score_texts import read_texts, score_texts

        with progress_bar("Scoring texts") as step:
            return Records(score_texts(self.checkpoint, read_texts(Path(file)), word, step))

    def evaluate(
        self, data: str | Path, task: str | None = None, columns: Mapping[Role, str] | None = None
    ) -> TaskEvaluation:
        """How well a fine-tuned model does on a held-out file (or a folder's dev part): loss, metrics, confusion.

        `task` absent: the one that its run learned. Raises BertcoreError where file, task and model do not fit.

        >>> 0 <= bertcore.load("runs/sentiment").evaluate("held-out.tsv", "sst2").metrics["accuracy"] <= 1
        True
        """
        from bertcore.training.task_files import evaluate_file

        task = task or self.learned_task
        if task is None:
            raise BertcoreError("Name the task of the file; `bertcore finetune list` shows them all.")
        return evaluate_file(self.checkpoint, task, str(data), columns or {}, self.decoding)

    def evaluate_text(
        self, files: Files, *, sequence_length: int = 128, sequences: int | None = None, whole: bool = False
    ) -> dict[str, float | None]:
        """Masked words and next sentence on the held-out part of some text, or on all of it (`whole`): losses,
        accuracies, perplexity. `sequences` None: at most 512 of the held-out part, or the whole text.

        Raises BertcoreError where the text cannot be read, or the model has no MLM head.

        >>> m.evaluate_text(["stories.txt"], sequences=8)["perplexity"] > 1
        True
        """
        from bertcore.training.evaluate import evaluate_text

        return evaluate_text(self.checkpoint, paths_of(files), sequence_length, sequences, whole)

    def minimal_pairs(self, files: Files) -> MinimalPairs:
        """Whether the model prefers the good sentence of each pair (pseudo-log-likelihood): JSON lines with `good` and
        `bad`, or `sentence_good` and `sentence_bad`, and a `phenomenon` or `UID`, as BLiMP's.

        Raises BertcoreError where a file cannot be read, or the model has no MLM head.
        """
        from bertcore.evaluation.sets import judge_minimal_pairs, read_minimal_pairs

        return judge_minimal_pairs(
            self.checkpoint, [pair for file in paths_of(files) for pair in read_minimal_pairs(file)]
        )

    def report(
        self,
        files: Files = (),
        *,
        whole: bool = False,
        sequence_length: int = 128,
        tell: Callable[[str], None] = show_status,
    ) -> ModelReport:
        """Everything that is measured of a pretrained model (docs/evaluation.md): cloze sets, minimal pairs and, with
        the text it learned from, its held-out part and what its heads do; with `whole`, all of other text. `tell` is
        called with what is being measured.

        Raises BertcoreError where the text cannot be read, or the model has no MLM head.

        >>> len(bertcore.load("bertscope-tiny").report().cloze.answers)
        200
        """
        from bertcore.data.text import text_files
        from bertcore.evaluation.report import Effort, measure_model_on_files
        from bertcore.training.evaluate import data_of_pretraining

        paths = paths_of(files)
        text_files(paths)  # raises at once for what is not there
        form = data_of_pretraining(self.checkpoint.folder).text_format
        effort = Effort(length=sequence_length)
        return measure_model_on_files(self.checkpoint, paths, whole=whole, form=form, effort=effort, tell=tell)

    def _predictions(self, examples: Sequence[Example]) -> Predictions:
        from bertcore.training.task_files import predict_as_learned

        cut: list[int] = []
        with progress_bar("Predicting") as step:
            found = predict_as_learned(self.checkpoint, examples, step, decoding=self.decoding, tell_cut=cut.append)
        self._warn_of_cut(sum(cut), len(examples), stacklevel=4)
        return Predictions(found)

    def _warn_of_cut(self, cut: int, of: int, stacklevel: int = 3) -> None:
        """For who has called the method that calls this: nothing in numbers alone says what they are of."""
        if cut:
            warnings.warn(cut_texts(cut, of, self.config.max_length), CutOffWarning, stacklevel=stacklevel)


def pairs_of(a: str | Texts, b: str | Texts | None = None) -> tuple[list[tuple[str, str | None]], bool]:
    """The texts or pairs, and whether it is a single one, which gets a single result instead of a list."""
    if b is not None and isinstance(a, str) != isinstance(b, str):
        raise BertcoreError("Texts a and b go together: give one of each, or two lists of the same length.")
    if isinstance(a, str):
        return [(a, b if isinstance(b, str) else None)], True
    firsts = _listed("a", a)
    seconds: Sequence[str | None] = [None] * len(firsts) if b is None else _listed("b", b)
    if len(firsts) != len(seconds):
        raise BertcoreError(f"There are {len(firsts)} texts a, but {len(seconds)} texts b; a pair needs one of each.")
    return list(zip(firsts, seconds, strict=True)), False


def _listed(name: str, texts: Any) -> list[Any]:
    """Raises BertcoreError where one is no text, such as the NaN of an empty cell."""
    try:
        listed = list(texts)
    except TypeError:
        raise BertcoreError(f"Give {name} as a text or a list of texts, not as {type(texts).__name__}.") from None
    wrong = next(
        (at for at, text in enumerate(listed) if not (isinstance(text, str) or (text is None and name == "b"))), None
    )
    if wrong is not None:
        kind = type(listed[wrong]).__name__
        raise BertcoreError(f"Not all texts {name} are texts: the one at place {wrong} of the list is {kind}.")
    return listed


def cut_texts(count: int, of: int, most: int) -> str:
    """That so many of the texts have more than the `most` tokens that the model reads."""
    which = "The text is" if of == 1 else f"{count:,} of {of:,} texts {'is' if count == 1 else 'are'}"
    begins = "its beginning" if count == 1 else "their beginnings"
    return f"{which} longer than the {most:,} tokens that the model reads; what is said is of {begins}."


def paths_of(files: Files) -> list[Path]:
    return [Path(files)] if isinstance(files, str | Path) else [Path(file) for file in files]
