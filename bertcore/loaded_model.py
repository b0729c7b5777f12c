"""A model to ask from Python: the one door to what the engine computes, for notebooks and for the shell.

Everything here is a thin call into `bertcore.analysis`, `bertcore.tasks`, `bertcore.training` and
`bertcore.evaluation`. B texts, S tokens, L layers, N heads, H hidden. Layers, heads and positions count from 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, get_args, overload

import numpy as np
from numpy.typing import NDArray

from bertcore.analysis import interventions
from bertcore.analysis.attention_heads import classify_heads, head_facts
from bertcore.analysis.attribution import Method, attribute
from bertcore.analysis.find_heads import find_heads
from bertcore.analysis.interventions import Head
from bertcore.analysis.lens import layer_lens, lens_words
from bertcore.analysis.merging import word_groups
from bertcore.analysis.predict import next_sentence, predict_masks, replaced_probabilities, sentence_order, top_words
from bertcore.analysis.sentence_vectors import sentence_vectors
from bertcore.analysis.targets import Target, pair_target, word_target
from bertcore.analysis.trace import trace
from bertcore.analysis.vectors import cosine
from bertcore.analysis.words import Surprise, pieces_at, surprise
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from bertcore.checkpoint.sentence_pooling import Pooling
from bertcore.errors import BertcoreError
from bertcore.model.tap import Changes
from bertcore.model.task_heads import HEAD_TITLES
from bertcore.progress import progress_bar, show_status
from bertcore.resolve_model import resolve_model
from bertcore.results import (
    Filled,
    HeadReport,
    HeadReports,
    LensWords,
    Predictions,
    Results,
    TokenAttribution,
    TokenSurprise,
    TracedText,
)
from bertcore.tokenizer.tokenizer import Encoding

if TYPE_CHECKING:
    from bertcore.evaluation.report import ModelReport
    from bertcore.evaluation.sets import MinimalPairs
    from bertcore.tasks.examples import Example, Kind
    from bertcore.tasks.features.predictions import Prediction
    from bertcore.tasks.inference.evaluate import TaskEvaluation
    from bertcore.tasks.readers.spec import Role

Texts = list[str] | tuple[str, ...]  # several texts: a batch
Files = str | Path | Sequence[str | Path]  # one, or several
Step = Callable[[float], object]  # called with the share done, 0..1
T = TypeVar("T")
R = TypeVar("R")


def load(
    model: str | Path | None = None, *, random_heads: Collection[str] = (), device: str | None = None
) -> LoadedModel:
    """Open a model: "bertscope-mini", "bertscope-tiny", a checkpoint folder, a run (its newest snapshot) or a hub id.

    None is the built-in model. `random_heads`, such as "mlm", are drawn afresh where the files lack them, always the
    same way: what they say means nothing. `device` is one of torch's; absent: the CPU.
    Raises BertcoreError, one sentence, where there is no such model or it cannot be read.

    >>> import bertcore
    >>> m = bertcore.load("bertscope-tiny")
    >>> m.name, m.tasks
    ('bertscope-tiny', ('mlm', 'nsp'))
    """
    for head in random_heads:
        _check_choice("head", head, tuple(HEAD_TITLES))
    checkpoint = load_checkpoint(resolve_model(model), random_heads, allow_random=bool(random_heads))
    if device is not None:
        checkpoint.model.to(device)
    return LoadedModel(checkpoint)


class LoadedModel:
    """An opened model with its tokenizer. A text is a sentence `a` or a pair `a`, `b`; what does not fit is cut off.

    Where a method takes several texts, it takes a list (for pairs: two of one length) and gives a result for each, in
    their order, with a progress bar if it takes long. Results have `.to_pandas()`.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.name = checkpoint.name
        self.bert = checkpoint.model  # the torch module, in evaluation mode
        self.tokenizer = checkpoint.tokenizer
        self.config = checkpoint.config
        self.tasks = checkpoint.tasks  # what it has heads for, such as "mlm", "nsp" or "classify"
        self.missing = checkpoint.missing  # the parts that it lacks, with a sentence for each

    def __repr__(self) -> str:
        config = self.config
        size = f"{config.num_hidden_layers} layers, {config.num_attention_heads} heads, hidden {config.hidden_size}"
        return f"<{self.name}: {size}, {self.checkpoint.parameters:,} parameters>"

    # --- pretrained models ----------------------------------------------------------------------------------------

    def encode(self, a: str, b: str | None = None) -> Encoding:
        """The text as the model reads it: tokens, ids, segments, offsets ..., each a list of length S.

        >>> m.encode("A cat sat.").tokens
        ['[CLS]', 'a', 'cat', 'sat', '.', '[SEP]']
        """
        return self.tokenizer.encode(a, b, max_length=self.config.max_length)

    @overload
    def fill(self, a: str, b: str | None = None, *, top: int = 5) -> Filled: ...
    @overload
    def fill(self, a: Texts, b: Texts | None = None, *, top: int = 5) -> Results[Filled]: ...
    def fill(self, a: str | Texts, b: str | Texts | None = None, *, top: int = 5) -> Filled | Results[Filled]:
        """The `top` likeliest words for every [MASK], likeliest first: masks, then words (token, id, probability).

        `.next_sentence`, `.sentence_order`, `.similarity` and `.replaced` are what other heads say of the text, as far
        as the model has them. Raises BertcoreError where there is a mask but no MLM head.

        >>> filled = m.fill("The cat sat on the [MASK].", "It was warm.", top=3)
        >>> len(filled), len(filled[0])
        (1, 3)
        >>> filled[0][0].probability > filled[0][1].probability
        True
        >>> 0 < filled.next_sentence.is_next < 1
        True
        """
        if isinstance(a, str) and (b is None or isinstance(b, str)):
            return self._filled(a, b, top)
        return Results(_for_each("Filling masks", _pairs(a, b), lambda pair, _: self._filled(pair[0], pair[1], top)))

    def _filled(self, a: str, b: str | None, top: int) -> Filled:
        encoding = self.encode(a, b)
        masks = self._masks(encoding)
        if masks and "mlm" in self.missing:
            raise BertcoreError(self.missing["mlm"])
        outputs = predict_masks(self.bert, encoding.ids, encoding.segments, positions=masks)
        rows = () if outputs.mlm_logits is None else outputs.mlm_logits  # (R,V)
        filled = Filled([top_words(row, self.tokenizer, top) for row in rows], encoding, masks)
        if b and outputs.next_sentence_logits is not None:
            filled.next_sentence = next_sentence(outputs.next_sentence_logits)
        if b and outputs.sentence_order_logits is not None:
            filled.sentence_order = sentence_order(outputs.sentence_order_logits)
        if b and self.checkpoint.pooling is not None:
            filled.similarity = cosine(*self.embed([a, b]))
        if outputs.replaced_logits is not None:
            filled.replaced = replaced_probabilities(outputs.replaced_logits)
        return filled

    def score(self, a: str | Texts, b: str | Texts | None = None) -> NDArray[np.float64]:
        """Pseudo-log-likelihood of each text in nats (B): the sum of ln p of each token, all others seen.

        Salazar et al. 2020. Of two sentences with the same number of tokens, the model prefers the one with the higher
        score. Raises BertcoreError where there is no MLM head, or no mask in the vocabulary.

        >>> m.score(["The cat sat on the mat.", "Mat the on sat cat the."]).shape
        (2,)
        """
        found = _for_each("Scoring texts", _pairs(a, b), lambda pair, step: self._surprise(self.encode(*pair), step))
        return np.array([-float(each.bits.sum()) * math.log(2) for each in found])

    @overload
    def surprise(self, a: str, b: str | None = None, *, whole_words: bool = False) -> TokenSurprise: ...
    @overload
    def surprise(self, a: Texts, b: Texts | None = None, *, whole_words: bool = False) -> Results[TokenSurprise]: ...
    def surprise(
        self, a: str | Texts, b: str | Texts | None = None, *, whole_words: bool = False
    ) -> TokenSurprise | Results[TokenSurprise]:
        """How little the model expects each token, all others seen: -log2 p in bits (S), 0 for special tokens.

        `whole_words` hides the later pieces of a word with each of its pieces (Kauf and Ivanova 2023).
        Raises BertcoreError as `score` does.

        >>> m.surprise("A cat sat.").scores.shape
        (6,)
        """

        def surprised(pair: tuple[str, str | None], step: Step) -> TokenSurprise:
            encoding = self.encode(*pair)
            found = self._surprise(encoding, step, word_groups(encoding) if whole_words else None)
            return TokenSurprise(encoding.tokens, found.by_token(len(encoding)), found.pseudo_perplexity)

        found = _for_each("Measuring surprise", _pairs(a, b), surprised)
        return found[0] if isinstance(a, str) else Results(found)

    def _surprise(self, encoding: Encoding, step: Step, groups: Sequence[int] | None = None) -> Surprise:
        return surprise(self.bert, encoding, self.tokenizer.mask_id, groups=groups, progress=step)

    def embed(self, a: str | Texts, *, pooling: Literal["mean", "cls"] | None = None) -> NDArray[np.float32]:
        """One vector for each text (B,H): the mean of its last hidden states, special tokens too, or that of [CLS].

        Absent, `pooling` is what the folder of a sentence encoder says, which may also scale vectors to length 1;
        "mean" for any other model.

        >>> m.embed(["One text.", "Another."], pooling="mean").shape == (2, m.config.hidden_size)
        True
        """
        _check_choice("pooling", pooling or "mean", ("mean", "cls"))
        way = Pooling(pooling, normalised=False) if pooling else self.checkpoint.pooling or Pooling("mean", False)
        encodings = [self.encode(text) for text, _ in _pairs(a, None)]
        with progress_bar("Embedding texts") as step:
            return sentence_vectors(self.bert, encodings, way, progress=step)

    # --- looking inside -------------------------------------------------------------------------------------------

    def trace(
        self,
        a: str,
        b: str | None = None,
        *,
        heads_off: Collection[Head] = (),
        layers_off: Collection[int] = (),
        segments: Mapping[int, int] | None = None,
        positions: Mapping[int, int] | None = None,
        changes: Changes | None = None,
    ) -> TracedText:
        """One pass with everything kept: `.attentions` (L,N,S,S), `.hidden_states` (L+1,S,H), `.queries` ...

        `heads_off` {(layer, head), ...} and `layers_off` are switched off; `segments` and `positions` give single
        tokens another one than their own; `changes` are any others (`bertcore.analysis.interventions`).
        Raises BertcoreError for a layer, head or token that is not there.

        >>> t = m.trace("The cat sat.", "It was warm.", heads_off=[(2, 3)])
        >>> t.tokens[:4], t.attentions.shape == (6, 6, len(t.tokens), len(t.tokens))
        (['[CLS]', 'the', 'cat', 'sat'], True)
        """
        encoding = self.encode(a, b)
        if segments and self.config.type_vocab_size < 2:
            raise BertcoreError(f"Segments cannot be set: {self.missing['segments']}")
        made = [interventions.switch_off_heads(heads_off, self.config)] if heads_off else []
        made += [interventions.switch_off_layers(layers_off, self.config)] if layers_off else []
        made += [changes] if changes else []
        found = trace(
            self.bert,
            encoding.ids,
            _with_values(encoding.segments, segments),
            _with_values(encoding.positions, positions),
            changes=interventions.combine(*made) if made else None,
        )
        return TracedText(**vars(found), encoding=encoding)

    def heads(self, a: str, b: str | None = None, *, where: str | None = None) -> HeadReports:
        """What each attention head does in a text: its kind, entropy, distance and shares; L x N rows.

        `where` keeps the heads that it describes, the best first: a kind, or conditions such as "attn(it -> cat) > 0.3"
        (`bertcore.analysis.find_heads`). Raises BertcoreError for a description that cannot be read.

        >>> len(m.heads("The cat sat on the mat."))
        36
        """
        encoding = self.encode(a, b)
        attentions = trace(self.bert, encoding.ids, encoding.segments, mlm_positions=[]).attentions  # (L,N,S,S)
        kinds = [classify_heads(layer, encoding) for layer in attentions]
        places = [divmod(flat, attentions.shape[1]) for flat in range(attentions.shape[0] * attentions.shape[1])]
        if where is not None:
            places = [(match.layer, match.head) for match in find_heads(where, attentions, encoding).matches]
        return HeadReports(
            HeadReport(
                layer=layer,
                head=head,
                kind=kinds[layer][head].kind,
                kind_score=kinds[layer][head].score,
                **vars(head_facts(attentions[layer, head], encoding)),
            )
            for layer, head in places
        )

    def lens(self, a: str, b: str | None = None, *, top: int = 5) -> LensWords:
        """What each layer would put for each [MASK] (the logit lens): layers 0 (embeddings) to L, masks, then words.

        Raises BertcoreError where there is no MLM head or no mask.

        >>> words = m.lens("The cat sat on the [MASK].", top=1)
        >>> len(words), words[-1][0][0].token == m.fill("The cat sat on the [MASK].")[0][0].token
        (7, True)
        """
        encoding = self.encode(a, b)
        masks = self._masks(encoding, required=True)
        states = trace(self.bert, encoding.ids, encoding.segments, mlm_positions=[]).hidden_states  # (L+1,S,H)
        return LensWords(lens_words(layer_lens(self.bert, states, masks), self.tokenizer, top), masks)

    def attribute(
        self,
        a: str,
        b: str | None = None,
        *,
        word: str | None = None,
        position: int | None = None,
        label: str | None = None,
        target: Target | None = None,
        method: Method = "integrated_gradients",
    ) -> TokenAttribution:
        """How much each token (S) speaks for a prediction, in nats of its ln p.

        The prediction is `word` (absent: the likeliest one) at `position` (absent: the first [MASK]). In a text without
        a mask it is the `label` of a classifier (absent: the likeliest), else that B follows A. `target` is any other
        (`bertcore.analysis.targets`). "integrated_gradients" starts from the same text with every word masked;
        "leave_one_out" masks each token in turn. Formulas: `bertcore.analysis.attribution`.
        Raises BertcoreError where the model has no head for the prediction, or the word is more than one token.

        >>> found = m.attribute("The cat sat on the [MASK].", word="floor", method="leave_one_out")
        >>> found.prediction, found.scores.shape
        ('floor', (9,))
        """
        _check_choice("method", method, get_args(Method))
        encoding, prediction = self.encode(a, b), "target"
        if target is None:
            target, prediction = self._target(encoding, a, b, word, position, label)
        with progress_bar("Attributing") as step:
            attribution = attribute(
                self.bert, self.tokenizer, encoding.ids, encoding.segments, target, method, progress=step
            )
        return TokenAttribution(tokens=encoding.tokens, prediction=prediction, **vars(attribution))

    def _target(
        self, encoding: Encoding, a: str, b: str | None, word: str | None, position: int | None, label: str | None
    ) -> tuple[Target, str]:
        """What `attribute` explains, and its name."""
        if word is None and position is None and self.tokenizer.mask_id not in encoding.ids:
            if "classify" in self.tasks:
                return self._class_target(a, b, label)
            if b:
                return pair_target(), "next sentence"
        at = self._masks(encoding, required=True)[0] if position is None else position
        interventions.check_rows([at], len(encoding))
        token = self._one_token(word, encoding, at)
        return word_target(at, token), self.tokenizer.word(token)

    def _class_target(self, a: str, b: str | None, label: str | None) -> tuple[Target, str]:
        """A label of a classifier, the likeliest where none is named; the number of a regression."""
        probabilities = getattr(self.predict(a, b), "probabilities", None)
        if probabilities is None:
            return Target("classify", measure="logit"), "number"
        label = label or max(probabilities, key=lambda each: probabilities[each])
        if label not in probabilities:
            raise BertcoreError(f"The model {self.name} has no label {label!r}; it has {', '.join(probabilities)}.")
        return Target("classify", list(probabilities).index(label)), label

    def _masks(self, encoding: Encoding, required: bool = False) -> list[int]:
        """Positions of its masks."""
        masks = [i for i, token_id in enumerate(encoding.ids) if token_id == self.tokenizer.mask_id]
        if required and not masks:
            raise BertcoreError("There is no [MASK] in the text; write one where a word should be predicted.")
        return masks

    def _one_token(self, word: str | None, encoding: Encoding, position: int) -> int:
        """The id of a word at a position; of the likeliest one where none is given."""
        if word is None:
            logits = predict_masks(self.bert, encoding.ids, encoding.segments, positions=[position]).mlm_logits
            if logits is None:
                raise BertcoreError(self.missing["mlm"])
            return int(logits[0].argmax())
        ids = pieces_at(word, self.tokenizer, encoding, position)
        if len(ids) > 1:
            raise BertcoreError(f"{word!r} is {len(ids)} tokens in this vocabulary; choose a word that is one.")
        return ids[0]

    # --- fine-tuned models ----------------------------------------------------------------------------------------

    @property
    def task_kind(self) -> Kind:
        """What it was taught: "classify", "tag", "span" ... Raises BertcoreError for a model without a task."""
        from bertcore.tasks.inference.predict import required_kind

        return required_kind(self.checkpoint)

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
        line. Raises BertcoreError where the model was not taught a task.

        >>> sentiment = bertcore.load("runs/sentiment")
        >>> sentiment.predict("We had a wonderful day.").label in sentiment.config.labels
        True
        """
        from bertcore.tasks.inference.predict import as_example

        kind = self.task_kind
        found = self._predictions([as_example(kind, *pair) for pair in _pairs(a, b)])
        return found[0] if isinstance(a, str) else found

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
        return evaluate_file(self.checkpoint, task, str(data), columns or {})

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

        return evaluate_text(self.checkpoint, _paths(files), sequence_length, sequences, whole)

    def minimal_pairs(self, files: Files) -> MinimalPairs:
        """Whether the model prefers the good sentence of each pair (pseudo-log-likelihood): JSON lines with `good` and
        `bad`, or `sentence_good` and `sentence_bad`, and a `phenomenon` or `UID`, as BLiMP's.

        Raises BertcoreError where a file cannot be read, or the model has no MLM head.
        """
        from bertcore.evaluation.sets import judge_minimal_pairs, read_minimal_pairs

        return judge_minimal_pairs(
            self.checkpoint, [pair for file in _paths(files) for pair in read_minimal_pairs(file)]
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

        paths = _paths(files)
        text_files(paths)  # raises at once for what is not there
        form = data_of_pretraining(self.checkpoint.folder).text_format
        effort = Effort(length=sequence_length)
        return measure_model_on_files(self.checkpoint, paths, whole=whole, form=form, effort=effort, tell=tell)

    def _predictions(self, examples: Sequence[Example]) -> Predictions:
        from bertcore.training.task_files import predict_as_learned

        with progress_bar("Predicting") as step:
            return Predictions(predict_as_learned(self.checkpoint, examples, step))


def _pairs(a: str | Texts, b: str | Texts | None) -> list[tuple[str, str | None]]:
    """One text or pair, or several."""
    firsts = [a] if isinstance(a, str) else list(a)
    seconds = [b] * len(firsts) if b is None else [b] if isinstance(b, str) else list(b)
    if len(firsts) != len(seconds):
        raise BertcoreError(f"There are {len(firsts)} texts a, but {len(seconds)} texts b; a pair needs one of each.")
    return list(zip(firsts, seconds, strict=True))


def _for_each(description: str, texts: Sequence[T], answer: Callable[[T, Step], R]) -> list[R]:
    """The answer to each text, with a progress bar."""
    answers: list[R] = []
    with progress_bar(description) as step:
        for text in texts:
            answers.append(answer(text, lambda share: step((len(answers) + share) / len(texts))))
            step(len(answers) / len(texts))
    return answers


def _paths(files: Files) -> list[Path]:
    return [Path(files)] if isinstance(files, str | Path) else [Path(file) for file in files]


def _check_choice(name: str, given: str, choices: tuple[str, ...]) -> None:
    if given not in choices:
        raise BertcoreError(f"There is no {name} {given!r}; choose one of {', '.join(choices)}.")


def _with_values(values: list[int], changed: Mapping[int, int] | None) -> list[int]:
    """Values (S), with those at some positions changed."""
    changed = changed or {}
    interventions.check_rows(changed, len(values))
    return [changed.get(at, value) for at, value in enumerate(values)]
