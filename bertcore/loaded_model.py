"""A model to ask from Python: all that the engine computes, for notebooks and for the shell.

Everything here is a thin call into `bertcore.analysis`, `bertcore.tasks`, `bertcore.training` and
`bertcore.evaluation`. B texts, S tokens, L layers, N heads, H hidden. Layers, heads and positions count from 0.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypedDict, TypeVar, Unpack, get_args, overload

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore import results
from bertcore.analysis import attention_heads, effects, flow, interventions, passes, predict, residual, vectors
from bertcore.analysis import masked_draws as masking
from bertcore.analysis import trace as tracing
from bertcore.analysis.attention_heads import HeadReport
from bertcore.analysis.circuit import MOST_LINKS, Circuit, Part, PartPasses, find_circuit
from bertcore.analysis.effects import Method
from bertcore.analysis.find_target import NamedTarget, find_target
from bertcore.analysis.interventions import Direction, Head, PatchedPart, Values, WhatIf
from bertcore.analysis.merging import word_groups
from bertcore.analysis.passes import Batch, Text
from bertcore.analysis.predict import HeadOutputs
from bertcore.analysis.residual import LogitParts, PushedWords
from bertcore.analysis.targets import SimilarityTarget, Target
from bertcore.analysis.vectors import NearestBy, NearWord, WordInSentences
from bertcore.analysis.words import surprises
from bertcore.checkpoint.checkpoint import Checkpoint, checkpoint_in_memory, load_checkpoint, save_checkpoint
from bertcore.checkpoint.config_file import Pooling
from bertcore.comparing import Comparison, compare
from bertcore.errors import BertcoreError, CutOffWarning, shortened
from bertcore.evaluation.score_texts import TextScore, read_listed_texts, score_texts
from bertcore.evaluation.sets import MinimalPairs, ModelReport, judge_minimal_pairs, measure_model, read_minimal_pairs
from bertcore.evidence.asking import Evidence
from bertcore.evidence.collection import Collection as EvidenceCollection
from bertcore.evidence.shards import Shard
from bertcore.files import write_errors
from bertcore.model.bert import Bert
from bertcore.model.hooks import Changes
from bertcore.model.output_heads import HEAD_TITLES
from bertcore.progress import ReportProgress, part_of, progress_bar, show_status
from bertcore.resolve_model import resolve_model, resolve_step, snapshot_errors
from bertcore.runs.known_runs import is_run
from bertcore.table import Grid, Records, Results, one_or_many
from bertcore.tasks.kinds.base import Decoding, DecodingOptions, Example, Prediction
from bertcore.tasks.predict import TaskEvaluation, as_example, required_kind, task_kind
from bertcore.tasks.spec import Role
from bertcore.tokenizer.special_tokens import MASK
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer, word_id_at
from bertcore.training.evaluate import evaluate_text
from bertcore.training.task_files import data_of_run, evaluate_file, examples_of_file, predict_as_learned

Files = str | Path | Sequence[str | Path]  # one, or several
Words = Collection[str] | None
R = TypeVar("R")


class PredictOptions(DecodingOptions, WhatIf, total=False):
    """Of `predict`."""


class TargetOptions(TypedDict, total=False):
    """Which prediction is asked about, by its name or as a target."""

    wanted: str | None
    against: str | None
    position: int | None
    target: Target | None


_READS_AS = ("task", "columns", "max_length", "stride")  # of the data of a fine-tuned model
_NO_MASK = "There is no [MASK] in the text; write one where a word should be predicted."
_PACKAGE = str(Path(__file__).parent)
_TEXTS_AT_ONCE = 2048  # tokenised at a time: a file of a million would fill the memory


def load(
    model: str | Path | None = None, *, random_output_heads: Collection[str] = (), device: str | None = None
) -> LoadedModel:
    """Open a model: "bertscope-mini", "bertscope-tiny", a checkpoint folder, a run (its newest snapshot), a hub id, or
    "untrained:" and the name of a published model.

    None is the built-in model. `random_output_heads`, such as "mlm", are drawn afresh where the files lack them, always
    the same way: what they say means nothing. `device` is one of torch's; absent: the CPU.
    Raises BertcoreError, one sentence, where there is no such model or it cannot be read.

    >>> import bertcore
    >>> m = bertcore.load("bertscope-tiny")
    >>> m.name, m.output_heads
    ('bertscope-tiny', ('mlm', 'nsp'))
    """
    for head in random_output_heads:
        _check_choice("output head", head, tuple(HEAD_TITLES))
    if device is not None:
        _check_device(device)
    folder = resolve_model(model)
    with snapshot_errors(folder):
        checkpoint = load_checkpoint(folder, random_heads=random_output_heads)
    if device is not None:
        checkpoint.model.to(device)
    return LoadedModel(checkpoint)


def _check_device(device: str) -> None:
    """Before a large file is read."""
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:  # a build without CUDA asserts
        why = shortened(str(error).splitlines()[0].rstrip("."), 120)
        raise BertcoreError(f"torch cannot use the device {device!r} here ({why}); leave it out for the CPU.") from None


class LoadedModel:
    """An opened model with its tokenizer. A text is a sentence `a` or a pair `a`, `b`; what does not fit is cut off,
    and where only numbers come back, a warning says so.

    One text gives one result; a list (for pairs: two of one length) gives a result for each, in their order, read in
    padded batches, with a progress bar if it takes long. Results have `.rows()`, `.to_pandas()` and `.to_json()`.
    Methods that make a pass take what is changed in it (`bertcore.analysis.interventions.WhatIf`): `heads_off`
    {(layer, head), ...}, `layers_off`, `ablate_with`, `direction` and `changes`.
    """

    def __init__(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self.name = checkpoint.name
        self.bert = checkpoint.model  # the torch module, in evaluation mode
        self.tokenizer = checkpoint.tokenizer
        self.config = checkpoint.config
        self.output_heads = checkpoint.output_heads  # which answers it gives: "mlm", "nsp", "classify" ...
        self.missing = checkpoint.missing  # the parts that it lacks, with a sentence for each

    def __repr__(self) -> str:
        config = self.config
        size = f"{config.num_hidden_layers} layers, {config.num_attention_heads} heads, hidden {config.hidden_size}"
        return f"<{self.name}: {size}, {self.checkpoint.parameters:,} parameters>"

    def encode(
        self, a: str, b: str | None = None, *, length: int | None = None, pad: bool = False, truncate: bool = False
    ) -> Encoding:
        """The text as the model reads it: tokens, ids, segments, offsets ..., each a list of length S.

        Without a `length`, the model's own, to which a longer text is cut. With one, a longer text is an error unless
        you `truncate`; `pad` fills a shorter one up with [PAD]. Raises BertcoreError for a length that does not do.

        >>> m.encode("A cat sat.").tokens
        ['[CLS]', 'a', 'cat', 'sat', '.', '[SEP]']
        >>> m.encode("A cat sat.", length=8, pad=True).attention_mask
        [1, 1, 1, 1, 1, 1, 0, 0]
        """
        return self.tokenizer.encode_to(a, b, self.config.max_length, length, pad, truncate)

    @classmethod
    def of(cls, bert: Bert, tokenizer: Tokenizer, name: str = "model in memory") -> LoadedModel:
        """A model in memory, such as that of your own training loop: the module itself, not a copy of it.

        It is put into evaluation mode. Raises BertcoreError for a vocabulary that does not fit its token table.

        >>> config = bertcore.BertConfig.preset("tiny", vocab_size=m.config.vocab_size)
        >>> len(bertcore.LoadedModel.of(bertcore.Bert(config), m.tokenizer).fill("A [MASK] sat.")[0])
        5
        """
        return cls(checkpoint_in_memory(bert, tokenizer, name))

    def save(self, folder: str | Path) -> None:
        """Write a checkpoint folder (config.json, model.safetensors in float32, tokenizer files) for `load` and
        `transformers`; one that is there already is replaced.

        Raises BertcoreError where the folder is a run's, or cannot be written.

        >>> m.save("runs/copy")
        >>> bertcore.load("runs/copy").name
        'copy'
        """
        path = Path(folder).expanduser()
        if is_run(path):
            raise BertcoreError(f"The folder {path} holds a run; save the model in another one.")
        data = data_of_run(self.checkpoint.folder)
        about = None if data is None else {"data": {name: getattr(data, name) for name in _READS_AS}}
        with write_errors(path):
            save_checkpoint(self.bert, self.tokenizer, path, pooling=self.checkpoint.pooling, about=about)

    @property
    def device(self) -> torch.device:
        """Where it computes: `cpu` or a GPU."""
        return self.bert.embeddings.token.weight.device

    def to(self, device: str) -> LoadedModel:
        """Move it to another device of torch's, such as "cuda" or "mps", and give it back.

        Raises BertcoreError for a device that torch cannot use here.

        >>> m.to("cpu").device
        device(type='cpu')
        """
        _check_device(device)
        self.bert.to(device)
        return self

    # --- words and texts ------------------------------------------------------------------------------------------

    @one_or_many
    def fill(
        self,
        a: str | Texts,
        b: str | Texts | None = None,
        *,
        top: int = 5,
        targets: Words = None,
        **what_if: Unpack[WhatIf],
    ) -> results.Filled:
        """The `top` likeliest words for every [MASK], likeliest first: masks, then words (token, id, probability).

        `targets` are words to choose from instead: the probabilities of them all. `.next_sentence`, `.sentence_order`,
        `.similarity` and `.replaced` are what other heads say of the text, as far as the model has them.
        Raises BertcoreError for a `top` below 1, for a mask that is cut off or that there is no MLM head for, for a
        target that is more than one token, and where no head says anything: no mask, and no verdict either.

        >>> filled = m.fill("The cat sat on the [MASK].", "It was warm.", top=3)
        >>> len(filled), len(filled[0])
        (1, 3)
        >>> filled[0][0].probability > filled[0][1].probability
        True
        >>> 0 < filled.next_sentence.is_next < 1
        True
        >>> both = m.fill(["The cat sat [MASK] the mat.", "The [MASK] barked."], targets=["on", "dog"])
        >>> [filled[0][0].token for filled in both]
        ['on', 'dog']
        """
        vocabulary = self.config.vocab_size

        def cost(encoding: Encoding) -> int:
            masks = self.masks(encoding)
            if masks and "mlm" in self.missing:
                raise BertcoreError(self.missing["mlm"])
            return len(encoding) + len(masks) * vocabulary // 1024

        def answer(batch: Batch, changes: Changes | None, _: ReportProgress) -> list[results.Filled]:
            masks = [self.masks(encoding) for encoding in batch.encodings]
            said = zip(batch.encodings, masks, passes.predict_heads(self.bert, batch, masks, changes), strict=True)
            return [self._filled(*each, top, targets, what_if) for each in said]

        return self._each("Filling masks", a, b, what_if, answer, cost)

    def _filled(
        self, encoding: Encoding, masks: list[int], said: HeadOutputs, top: int, targets: Words, what_if: WhatIf
    ) -> results.Filled:
        b = encoding.text_b
        words = []
        for position, row in zip(masks, () if said.mlm_logits is None else said.mlm_logits, strict=bool(masks)):
            among = None if targets is None else [word_id_at(w, self.tokenizer, encoding, position) for w in targets]
            words.append(predict.top_words(row, self.tokenizer, top if among is None else len(among), among))
        filled = results.Filled(words, encoding, masks)
        if b and said.next_sentence_logits is not None:
            filled.next_sentence = predict.next_sentence(said.next_sentence_logits)
        if b and said.sentence_order_logits is not None:
            filled.sentence_order = predict.sentence_order(said.sentence_order_logits)
        if b and self.checkpoint.pooling is not None:
            filled.similarity = self.similarity(encoding.text_a, b, **what_if)
        if said.replaced_logits is not None:
            filled.replaced = predict.replaced_probabilities(said.replaced_logits)
        if not masks and not filled.verdicts:
            no_verdict = [self.missing["nsp"]] if b else []
            raise BertcoreError(" ".join([self.missing.get("mlm", _NO_MASK), *no_verdict]))
        return filled

    @overload
    def score(self, a: str, b: str | None = None, **what_if: Unpack[WhatIf]) -> float: ...
    @overload
    def score(self, a: Texts, b: Texts | None = None, **what_if: Unpack[WhatIf]) -> NDArray[np.float64]: ...
    def score(
        self, a: str | Texts, b: str | Texts | None = None, **what_if: Unpack[WhatIf]
    ) -> float | NDArray[np.float64]:
        """Pseudo-log-likelihood of a text in nats, or of each of several (B): the sum of ln p of each token, all others
        seen.

        Salazar et al. 2020. Of two sentences with the same number of tokens, the model prefers the one with the higher
        score. Warns where a text is longer than the model reads: its score is of the beginning. Raises BertcoreError
        where there is no MLM head, or no mask in the vocabulary.

        >>> m.score(["The cat sat on the mat.", "Mat the on sat cat the."]).shape
        (2,)
        """

        def answer(batch: Batch, changes: Changes | None, progress: ReportProgress) -> list[float]:
            mask_id = self.tokenizer.mask_id
            found = surprises(self.bert, batch.encodings, mask_id, changes=changes, progress=progress)
            return [-float(each.bits.sum()) * math.log(2) for each in found]

        found: Any = self._each("Scoring texts", a, b, what_if, answer, warns=True)
        return np.array(found, dtype=np.float64) if isinstance(found, Results) else found

    @one_or_many
    def surprise(
        self, a: str | Texts, b: str | Texts | None = None, *, whole_words: bool = False, **what_if: Unpack[WhatIf]
    ) -> results.TokenSurprise:
        """How little the model expects each token, all others seen: -log2 p in bits (S), 0 for special tokens.

        `whole_words` hides the later pieces of a word with each of its pieces (Kauf and Ivanova 2023).
        Warns and raises as `score` does.

        >>> m.surprise("A cat sat.").scores.shape
        (6,)
        """

        def answer(batch: Batch, changes: Changes | None, progress: ReportProgress) -> list[results.TokenSurprise]:
            groups = [word_groups(encoding) for encoding in batch.encodings] if whole_words else None
            mask_id = self.tokenizer.mask_id
            found = surprises(self.bert, batch.encodings, mask_id, groups=groups, changes=changes, progress=progress)
            return [
                results.TokenSurprise(encoding.tokens, each.by_token(len(encoding)), each.pseudo_perplexity)
                for encoding, each in zip(batch.encodings, found, strict=True)
            ]

        return self._each("Measuring surprise", a, b, what_if, answer, warns=True)

    def masked_draws(self, a: str, b: str | None = None, *, draws: int = 100, seed: int = 0) -> Grid:
        """The text masked as in training, `draws` times, each (draws,S); as `bertcore.analysis.masked_draws` has it.

        >>> found = m.masked_draws("The cat sat on the mat.", draws=20)
        >>> found["fate"].shape, set(found["fate"][:, 0].tolist())
        ((20, 9), {-1})
        """
        encoding = self.encode(a, b)
        with progress_bar("Masking") as step:
            asked = self.bert, self.tokenizer, encoding.ids, encoding.segments
            found = masking.masked_draws(*asked, draws=draws, seed=seed, progress=step)
        return Grid({"draw": range(draws), "token": encoding.tokens}, vars(found)).by(self.name)

    def embed(
        self,
        a: str | Texts,
        *,
        layer: int | None = None,
        pooling: Literal["mean", "cls"] | None = None,
        **what_if: Unpack[WhatIf],
    ) -> NDArray[np.float32]:
        """The vector of a text (H), or of each of several (B,H): the mean of its hidden states, special tokens too, or
        that of [CLS] (Reimers and Gurevych 2019, section 3).

        `layer` is 0 for the embeddings, l for the output of the l-th layer; absent, the last. Absent, `pooling` is what
        the folder of a sentence encoder says, which may also scale vectors to length 1; "mean" for any other model.
        Warns as `score` does. Raises BertcoreError for a layer or pooling that is not there.

        >>> m.embed("One text.").shape == m.embed("One text.", layer=1).shape == (m.config.hidden_size,)
        True
        """
        _check_choice("pooling", pooling or "mean", ("mean", "cls"))
        way = Pooling(pooling, normalised=False) if pooling else self.checkpoint.pooling or Pooling("mean", False)

        def answer(batch: Batch, changes: Changes | None, _: ReportProgress) -> list[NDArray[np.float32]]:
            return list(passes.pooled(self.bert, batch, way, layer, changes))

        found: Any = self._each("Embedding texts", a, None, what_if, answer, warns=True)
        if isinstance(found, Results):
            return np.stack(found) if found else np.empty((0, self.config.hidden_size), dtype=np.float32)
        return found

    @overload
    def similarity(self, a: str, b: str, **what_if: Unpack[WhatIf]) -> float: ...
    @overload
    def similarity(self, a: str, b: Texts, **what_if: Unpack[WhatIf]) -> NDArray[np.float64]: ...
    @overload
    def similarity(self, a: Texts, b: str | Texts, **what_if: Unpack[WhatIf]) -> NDArray[np.float64]: ...
    def similarity(self, a: str | Texts, b: str | Texts, **what_if: Unpack[WhatIf]) -> float | NDArray[np.float64]:
        """Cosine of the vectors (`embed`) of two texts, 1 alike; of each of A texts with each of B others: (A,B).

        A single text has no side of its own: one with a list is (B).

        >>> m.similarity("A cat.", ["A dog.", "A cat."]).shape, round(m.similarity("A cat.", "A cat."), 3)
        ((2,), 1.0)
        """
        first, second = (np.atleast_2d(self.embed(each, **what_if)) for each in (a, b))
        found = vectors.cosines(np.concatenate([first, second]))[: len(first), len(first) :]  # (A,B)
        found = found[0] if isinstance(a, str) else found
        found = found[..., 0] if isinstance(b, str) else found
        return float(found) if isinstance(a, str) and isinstance(b, str) else found

    def masks(self, encoding: Encoding, required: bool = False) -> list[int]:
        """Positions of its masks. Raises BertcoreError where one is cut off, and where they are required and there are
        none."""
        if cut := predict.cut_off_mask(self.tokenizer, encoding):
            raise BertcoreError(cut)
        masks = [i for i, token_id in enumerate(encoding.ids) if token_id == self.tokenizer.mask_id]
        if required and not masks:
            raise BertcoreError(_NO_MASK)
        return masks

    # --- looking inside -------------------------------------------------------------------------------------------

    @one_or_many
    def trace(
        self,
        a: str | Texts,
        b: str | Texts | None = None,
        *,
        keep: Collection[str] = tracing.ARRAYS,
        segments: Mapping[int, int] | None = None,
        positions: Mapping[int, int] | None = None,
        length: int | None = None,
        mask: bool = True,
        **what_if: Unpack[WhatIf],
    ) -> results.TracedText:
        """One pass with everything kept: `.attentions` (L,N,S,S), `.hidden_states` (L+1,S,H), `.queries` ...

        `keep` names the arrays to keep where not all are wanted, as of many texts: the words' logits alone are (S,V).
        `segments` and `positions` give single tokens another one than their own. `length` cuts the text or fills it up
        with [PAD]; with `mask` False the model attends to these as to words. Raises BertcoreError for an array, layer,
        head or token that is not there, and as `encode`.

        >>> t = m.trace("The cat sat.", "It was warm.", heads_off=[(2, 3)])
        >>> t.tokens[:4], t.attentions.shape == (6, 6, len(t.tokens), len(t.tokens))
        (['[CLS]', 'the', 'cat', 'sat'], True)
        >>> [t.attentions.shape for t in m.trace(["A cat.", "It was warm."], keep=["attentions"])]
        [(6, 6, 5, 5), (6, 6, 6, 6)]
        """
        for name in keep:
            _check_choice("array of a trace", name, tracing.ARRAYS)
        if segments and self.config.type_vocab_size < 2:
            raise BertcoreError(f"Segments cannot be set: {self.missing['segments']}")
        row = self.config.vocab_size // 1024 if "mlm_logits" in keep else 0

        def changed(encoding: Encoding) -> Encoding:
            if length is not None:
                a, b = encoding.text_a, encoding.text_b
                encoding = self.encode(a, b, length=length, pad=True, truncate=True)
                encoding = encoding if mask else replace(encoding, padding=0)
            own = _with_values(encoding.segments, segments), _with_values(encoding.positions, positions)
            return replace(encoding, segments=own[0], positions=own[1])

        def answer(batch: Batch, changes: Changes | None, _: ReportProgress) -> list[results.TracedText]:
            found = zip(batch.encodings, tracing.traces(self.bert, batch, keep, changes=changes), strict=True)
            return [results.TracedText(own, self.config, arrays) for own, arrays in found]

        def cost(encoding: Encoding) -> int:
            return passes.open_cost(encoding) + row * len(encoding)

        return self._each("Tracing texts", a, b, what_if, answer, cost, changed)

    @one_or_many
    def run(
        self, a: str | Texts, b: str | Texts | None = None, *, keep: Collection[str] | str, **what_if: Unpack[WhatIf]
    ) -> results.Activations:
        """What passes at the hook points that `keep` names, and nothing else: point -> array, without padding.

        A name may be a pattern, as in `fnmatch`; `m.points` lists all, with shapes. Of several texts, `found[2]` is the
        third, and `found["layer.0.output"]` a list of the arrays of all. Raises BertcoreError for a name that fits no
        point.

        >>> found = m.run(["A cat.", "It was warm."], keep=["layer.*.attention.probs"])
        >>> len(found[0]), found[1]["layer.0.attention.probs"].shape
        (6, (6, 6, 6))
        """
        wanted = tracing.named_points(self.bert, [keep] if isinstance(keep, str) else keep)

        def answer(batch: Batch, changes: Changes | None, _: ReportProgress) -> list[results.Activations]:
            found = tracing.batch_activations(self.bert, batch, wanted, changes)
            return [results.Activations(*each) for each in zip(batch.encodings, found, strict=True)]

        return self._each("Reading activations", a, b, what_if, answer, passes.open_cost)

    @property
    def points(self) -> dict[str, str]:
        """The hook points of this model, in the order of a pass, and what passes there for one text.

        >>> m.points["layer.0.attention.probs"]
        '6 heads x tokens x tokens'
        """
        return tracing.described_points(self.bert)

    def mean_activations(self, texts: Texts) -> dict[str, NDArray[np.float32]]:
        """What heads and layers add on average over all tokens of some texts: for `ablate_with`, point -> (N,D) or (H).

        >>> usual = m.mean_activations(["The cat sat.", "It was warm."])
        >>> m.fill("A [MASK] sat.", heads_off=[(2, 3)], ablate_with=usual)[0][0].probability > 0
        True
        """
        wanted = [
            point for part in tracing.MEAN_POINTS for point in tracing.named_points(self.bert, [f"layer.*.{part}"])
        ]
        pairs, _ = pairs_of(texts)
        with progress_bar("Reading texts") as progress:
            return tracing.mean_activations(self.bert, [self.encode(*pair) for pair in pairs], wanted, progress)

    @one_or_many
    def heads(
        self, a: str | Texts, b: str | Texts | None = None, *, where: str | None = None, **what_if: Unpack[WhatIf]
    ) -> Records[HeadReport]:
        """What each attention head does in a text: its kind, entropy, distance and fractions; L x N rows.

        `where` keeps the heads that it describes, the best first: a kind, or conditions such as "attn(it -> cat) > 0.3"
        (`bertcore.analysis.attention_heads`). Raises BertcoreError for a description that cannot be read.
        Clark et al. 2019, Kovaleva et al. 2019.

        >>> len(m.heads("The cat sat on the mat."))
        36
        """

        def answer(batch: Batch, changes: Changes | None, _: ReportProgress) -> list[Records[HeadReport]]:
            found = zip(batch.encodings, tracing.traces(self.bert, batch, ["attentions"], changes=changes), strict=True)
            return [attention_heads.head_reports(arrays["attentions"], encoding, where) for encoding, arrays in found]

        return self._each("Reading heads", a, b, what_if, answer, passes.open_cost)

    @one_or_many
    def lens(
        self, a: str | Texts, b: str | Texts | None = None, *, top: int = 5, **what_if: Unpack[WhatIf]
    ) -> results.LensWords:
        """What each layer would put for each [MASK] (the logit lens): layers 0 (embeddings) to L, masks, then words.

        nostalgebraist 2020. Only the masks' hidden states are kept. Raises BertcoreError where there is no MLM head, no
        mask or one that is cut off, and for a `top` below 1.

        >>> words = m.lens("The cat sat on the [MASK].", top=1)
        >>> len(words), words[-1][0][0].token == m.fill("The cat sat on the [MASK].")[0][0].token
        (7, True)
        """

        def answer(batch: Batch, changes: Changes | None, _: ReportProgress) -> list[results.LensWords]:
            masks = [self.masks(encoding) for encoding in batch.encodings]
            found = []
            states_at = passes.hidden_states(self.bert, batch, masks, changes)  # B x (L+1,R,H)
            for at, states in zip(masks, states_at, strict=True):
                logits = passes.layer_lens(self.bert, states, range(len(at)))
                words = [[predict.top_words(row, self.tokenizer, top) for row in layer] for layer in logits]
                found.append(results.LensWords(words, at))
            return found

        def cost(encoding: Encoding) -> int:
            self.masks(encoding, required=True)
            return passes.open_cost(encoding)

        return self._each("Reading layers", a, b, what_if, answer, cost)

    @one_or_many
    def attribute(
        self,
        a: str | Texts,
        b: str | Texts | None = None,
        *,
        wanted: str | None = None,
        against: str | None = None,
        position: int | None = None,
        target: Target | None = None,
        method: Method = "integrated_gradients",
        baseline: str | None = MASK,
        steps: int = effects.PATH_STEPS,
        **what_if: Unpack[WhatIf],
    ) -> results.TokenAttribution:
        """How much each token (S) supports a prediction, in nats of its ln p.

        The prediction is the word `wanted` (absent: the likeliest one) at `position` (absent: the first [MASK]). In a
        text without a mask it is the label of a classifier or tagger (absent: the likeliest), the start of an answer,
        else that B follows A: see `bertcore.analysis.find_target`. `against` is another word or label: then the number
        is ln p(wanted) - ln p(against). `target` instead is any other (`bertcore.analysis.targets`).
        "integrated_gradients" (Sundararajan et al. 2017) starts from the same text with every word replaced by the
        token `baseline`, with None from vectors of zeros, and takes so many `steps`; "leave_one_out" replaces each
        token in turn; "gradient_x_input" has neither. Formulas: `bertcore.analysis.effects`.
        Raises BertcoreError where the model has no head for the prediction, or the word is more than one token.

        >>> found = m.attribute("The cat sat on the [MASK].", wanted="floor", method="leave_one_out")
        >>> found.prediction, found.scores.shape
        ('floor', (9,))
        """
        _check_choice("method", method, get_args(Method))
        asked: TargetOptions = {"wanted": wanted, "against": against, "position": position, "target": target}

        def answer(batch: Batch, changes: Changes | None, progress: ReportProgress) -> list[results.TokenAttribution]:
            (encoding,) = batch.encodings
            named = find_target(self.checkpoint, encoding, changes=changes, **asked)
            text = replace(passes.as_text(self.bert, encoding.ids, encoding.segments), changes=changes)
            found = effects.attribute(
                self.bert, self.tokenizer, text, named.target, method, cover=baseline, steps=steps, progress=progress
            )
            return [results.TokenAttribution(tokens=encoding.tokens, prediction=named.name, **vars(found))]

        cost = passes.MAX_TOKENS  # of each: a batch of its own variants
        return self._each("Attributing", a, b, what_if, answer, lambda _: cost)

    # --- side by side ----------------------------------------------------------------------------------------------

    def compare(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        other_a: str | None = None,
        other_b: str | None = None,
        other_model: LoadedModel | str | Path | None = None,
        other_step: int | None = None,
    ) -> Comparison:
        """What is different in another text, another model, or another step of this model's run.

        An absent `other_b` is `b`; "" for none. `.text` has heads (Jensen-Shannon divergence), hidden states (cosine),
        layers (CKA), words for each [MASK] and answers; `.parameters` and `.moved_words` say what training changed, of
        two models of one shape. Without `a` it is these alone. Raises BertcoreError where there is nothing to compare
        with.

        >>> found = m.compare("The cat sat on the [MASK].", other_a="The dog sat on the [MASK].")
        >>> 0 < max(head.divergence_bits for head in found.text.heads) < 1
        True
        >>> [change.part for change in m.compare(other_model="bertscope-sentiment").parameters][:3]
        ['token', 'segment', 'position']
        """
        if other_model is not None and other_step is not None:
            raise BertcoreError("Name a model or a step to compare with, not both.")
        if other_step is not None:
            other_model = resolve_step(self.checkpoint.folder, other_step)
        if other_a is None and other_b is not None:
            raise BertcoreError("The other text B is the second sentence of the other text A; give that too.")
        other = load(other_model) if isinstance(other_model, str | Path) else other_model
        text = None if a is None else (a, b)
        other_text = None if other_a is None else (other_a, b if other_b is None else other_b or None)
        return compare(self.checkpoint, None if other is None else other.checkpoint, text, other_text)

    @one_or_many
    def patch(
        self,
        a: str | Texts,
        b: str | Texts | None = None,
        *,
        other_a: str | Texts,
        other_b: str | Texts | None = None,
        part: PatchedPart = "state",
        head_position: int | None = None,
        **asked: Unpack[TargetOptions],
    ) -> results.PatchedText:
        """Activation patching: the pass over this text gets, place by place, what `other_a`, `other_b` has there.

        An absent `other_b` is `b`; "" for none. Both texts need the same number of tokens. `.map` is how much of their
        difference in a prediction comes back: 0 none, 1 all. The prediction is `wanted` (a word, a label, a tag ...),
        perhaps `against` another; absent, the other text's likeliest answer against this one's
        (`bertcore.analysis.find_target`), or of a sentence encoder the similarity to `b`. `target` instead is any other
        (`bertcore.analysis.targets`). `part` is "state", "head", "attention" or "feed-forward"; `head_position` patches
        heads at one token. Meng et al. 2022, section 2.1. Raises BertcoreError for texts that cannot be patched, or
        that hardly differ in the prediction.

        >>> found = m.patch("The man put on [MASK] hat.", other_a="The woman put on [MASK] hat.", wanted="her")
        >>> found.map.shape == (7, len(found.tokens)), round(float(found.map[0, 2]), 3)
        (True, 1.0)
        """

        def patched(texts: tuple[Pair, Pair], progress: ReportProgress) -> results.PatchedText:
            (ours, b), other = texts
            named = None
            is_named = any(asked.get(name) is not None for name in ("target", "wanted"))
            if b and self.checkpoint.pooling is not None and not is_named:
                if other[1] != b:
                    raise BertcoreError("Similarity is to one text B; leave out the other B, or give the same one.")
                pooling, vector = self.checkpoint.pooling.kind, self.embed(b)
                named = NamedTarget(SimilarityTarget(vector=tuple(vector.tolist()), pooling=pooling), "similarity")
                b, other = None, (other[0], None)
            encodings = self.encode(ours, b), self.encode(*other)
            text, source = (passes.as_text(self.bert, each.ids, each.segments) for each in encodings)
            effects.check_patching(text, source, part, head_position)
            named = named or find_target(self.checkpoint, *encodings, **asked)
            found = effects.patching_map(
                self.bert, text, source, named.target, part, position=head_position, progress=progress
            )
            tokens = encodings[0].tokens, encodings[1].tokens
            return results.PatchedText(
                *tokens, named.name, found.text, found.other, part, found.patched, found.fractions
            )

        pairs, is_single = pairs_of(a, b)
        others, _ = pairs_of(other_a, other_b)
        if len(pairs) != len(others) or is_single != isinstance(other_a, str):
            raise BertcoreError("Give one other text for each text.")
        other_texts = [
            (other, own[1] if other_b is None else second or None)
            for own, (other, second) in zip(pairs, others, strict=True)
        ]
        with progress_bar("Patching") as progress:
            found = Results[results.PatchedText]()
            for both in zip(pairs, other_texts, strict=True):
                found.append(patched(both, part_of(progress, len(found) / len(pairs), 1 / len(pairs))))
        return self._one_or_all(found, is_single)

    def circuit(
        self,
        a: str,
        b: str | None = None,
        *,
        other_a: str,
        other_b: str | None = None,
        parts: int | Sequence[Part] = 10,
        links: int = MOST_LINKS,
        seed: int = 0,
        **asked: Unpack[TargetOptions],
    ) -> Circuit:
        """Which parts make the difference between two texts in a prediction, and what tells what.

        Parts are the embeddings, heads and feed-forward networks. `.lost`: what is lost where one part alone gives what
        it gives in the other text; `.links`: what is lost where it does so for one receiver; `.curve`, `.best(k)`: how
        few are enough; `.outcomes`: what comes out with only the `chosen` parts and without them; `.random`: sets as
        large, drawn at random. All are shares of the difference (`bertcore.analysis.circuit`). `parts` is how many are
        chosen, or which: so a set is tried on another pair. The prediction is named as in `patch`, and raises as there.

        >>> texts = {"a": "The woman put on [MASK] hat.", "other_a": "The man put on [MASK] hat.", "wanted": "her"}
        >>> found = m.circuit(**texts, links=9)
        >>> len(found.parts), len(found.links), len(found.chosen), round(float(found.curve[-1]), 6)
        (43, 9, 10, 1.0)
        """
        encodings, (text, other), named = self._two_texts((a, b), (other_a, other_b), asked)
        tokens, other_tokens = (each.tokens for each in encodings)
        with progress_bar("Looking for parts") as progress:
            options: dict[str, Any] = {"parts": parts, "links": links, "seed": seed, "progress": progress}
            found = find_circuit(self.bert, text, other, named.target, **options)
        return Circuit(target=named.name, tokens=tokens, other_tokens=other_tokens, **found).by(self.name)

    def path_patch(
        self,
        a: str,
        b: str | None = None,
        *,
        other_a: str,
        other_b: str | None = None,
        sender: Part,
        receiver: Part,
        **asked: Unpack[TargetOptions],
    ) -> float:
        """The share of the difference between two texts that is lost where the sender's output in the other text
        reaches one receiver, and nothing else (Goldowsky-Dill et al. 2023). Named and raising as `circuit`.

        >>> from bertcore.analysis.circuit import Part
        >>> texts = {"a": "The woman put on [MASK] hat.", "other_a": "The man put on [MASK] hat.", "wanted": "her"}
        >>> 0 < m.path_patch(**texts, sender=Part("words"), receiver=Part("feed-forward", 0)) < 1
        True
        """
        _, (text, other), named = self._two_texts((a, b), (other_a, other_b), asked)
        return PartPasses(self.bert, text, other, named.target).lost_by_link(sender, receiver)

    def _two_texts(
        self, ours: Pair, other: Pair, asked: TargetOptions
    ) -> tuple[list[Encoding], list[Text], NamedTarget]:
        """Both as the model reads them, and the prediction in which they differ. An absent other B is ours."""
        encodings = [self.encode(*ours), self.encode(other[0], ours[1] if other[1] is None else other[1] or None)]
        texts = [passes.as_text(self.bert, each.ids, each.segments) for each in encodings]
        effects.check_patching(texts[0], texts[1])
        return (
            encodings,
            texts,
            find_target(self.checkpoint, *reversed(encodings), **asked),
        )  # of ours against the other's

    # --- which part of the model does it ------------------------------------------------------------------------------
    # The prediction is named as in `attribute`: `wanted`, `against` and `position`, or a `target`.

    def head_effects(self, a: str, b: str | None = None, **asked: Unpack[TargetOptions]) -> Grid:
        """Which heads a prediction needs: each of the L x N heads is switched off alone (Michel et al. 2019, 3.2).

        "effect" (L,N) is the change of ln p in nats (of a number: itself): below 0, it suffers. Raises as `attribute`.

        >>> found = m.head_effects("The cat sat on the [MASK].", wanted="floor")
        >>> found["effect"].shape, found.about["prediction"]
        ((6, 6), 'floor')
        """
        encoding, text = self._read(a, b)
        named = find_target(self.checkpoint, encoding, **asked)
        with progress_bar("Switching heads off") as step:
            value, effect = effects.head_effects(self.bert, text, named.target, progress=step)
        layers, heads = effect.shape
        about = {"prediction": named.name, "value": value}
        return Grid({"layer": range(layers), "head": range(heads)}, {"effect": effect}, about).by(self.name)

    def link_effects(
        self, a: str, b: str | None = None, *, layer: int, head: int, from_position: int, **asked: Unpack[TargetOptions]
    ) -> Grid:
        """Whether what one token looks at in one head counts for a prediction (Jain and Wallace 2019).

        To each token (S): "attention"; "gradient", the change of ln p in nats per unit of attention, to first order;
        "effect", the change without this link, the rest of the row scaled to sum to 1 again. Raises BertcoreError as
        `attribute`, and for a layer, head or token that is not there.

        >>> found = m.link_effects("The cat sat on the [MASK].", layer=5, head=0, from_position=6, wanted="floor")
        >>> found["effect"].shape, round(float(found["attention"].sum()), 3)
        ((9,), 1.0)
        """
        encoding, text = self._read(a, b)
        interventions.check_heads([(layer, head)], self.config)
        interventions.check_rows([from_position], len(text))
        named = find_target(self.checkpoint, encoding, **asked)
        first_order = effects.attention_gradient(self.bert, text, named.target, layer)
        with progress_bar("Taking links away") as step:
            link = layer, head, from_position, range(len(text))
            without_link = effects.link_effects(self.bert, text, named.target, *link, progress=step)
        row = head, from_position
        weights = {"attention": first_order.attention[row], "gradient": first_order.gradient[row]}
        about = {"prediction": named.name, "value": first_order.value}
        return Grid({"to": encoding.tokens}, weights | {"effect": without_link}, about).by(self.name)

    def logit_parts(self, a: str, b: str | None = None, **asked: Unpack[TargetOptions]) -> LogitParts:
        """Which part of each layer speaks for a word: direct logit attribution (Elhage et al. 2021).

        `.heads` (L,N), `.feed_forward` (L), `.embeddings` and `.biases` add up to `.logit` (with `against`, the
        difference of the two); `.error` is by how much they do not. Every LayerNorm and the activation of the word head
        are held fixed: `bertcore.analysis.residual.logit_parts`. Raises as `attribute`, and where it is no word.

        >>> parts = m.logit_parts("The cat sat on the [MASK].", wanted="floor", against="bed")
        >>> parts.heads.shape, parts.feed_forward.shape, abs(parts.error) < 1e-3
        ((6, 6), (6,), True)
        """
        encoding, text = self._read(a, b)
        return residual.logit_parts(self.bert, text, find_target(self.checkpoint, encoding, **asked).target).by(
            self.name
        )

    def residual_stream(self, a: str, b: str | None = None, **what_if: Unpack[WhatIf]) -> Grid:
        """How much each layer adds to each token's vector (L,S): L2 lengths, and cosines with what was there.

        "entering" the layer; what "attention" adds, "attention_cosine"; "middle", what feed-forward finds; what
        "feed_forward" adds, "feed_forward_cosine". Formulas: `bertcore.analysis.residual`.

        >>> m.residual_stream("The cat sat.")["attention"].shape
        (6, 6)
        """
        encoding, text = self._read(a, b)
        found = vars(residual.residual_stream(self.bert, text, changes=self._changes(**what_if)))
        return Grid({"layer": range(self.config.num_hidden_layers), "token": encoding.tokens}, found).by(self.name)

    def neurons(self, a: str, b: str | None = None, *, top: int = 20, **what_if: Unpack[WhatIf]) -> Grid:
        """The `top` feed-forward neurons of all layers that fire most for each token: "layer", "neuron", "activation",
        each (S,top), the highest first (Geva et al. 2021). `neuron_words` says what one does.

        >>> m.neurons("The cat sat.", top=3)["activation"].shape
        (6, 3)
        """
        encoding, text = self._read(a, b)
        found = residual.strongest_neurons(self.bert, text, k=top, changes=self._changes(**what_if))
        return Grid(
            {"token": encoding.tokens, "place": range(1, found.layers.shape[1] + 1)},
            {"layer": found.layers, "neuron": found.neurons, "activation": found.activations},
        ).by(self.name)

    def neuron_words(self, layer: int, neuron: int, *, top: int = 10) -> PushedWords:
        """The words that a feed-forward neuron makes likelier (`.up`) and less likely (`.down`): word, dot product.

        Geva et al. 2022: its output weights against the token table; the word head's transform is left out. Raises
        BertcoreError for a neuron that is not there.

        >>> len(m.neuron_words(5, 11, top=4).up)
        4
        """
        return residual.pushed_words(self.bert, self.tokenizer, layer, neuron, top).by(self.name)

    def attention_norms(self, a: str, b: str | None = None, **what_if: Unpack[WhatIf]) -> Grid:
        """How long each vector is that a head takes from one token to another, "norm", beside the "attention" itself:
        each (L,N,S,S), row: who looks (Kobayashi et al. 2020, "Attention is Not Only a Weight").

        >>> m.attention_norms("The cat sat.")["norm"].shape
        (6, 6, 6, 6)
        """
        traced = self.trace(a, b, **what_if)
        layers, heads, *_ = traced.attentions.shape
        norms = flow.attention_norms(self.bert, traced.attentions, traced.values)
        return Grid(
            {"layer": range(layers), "head": range(heads), "from": traced.tokens, "to": traced.tokens},
            {"attention": traced.attentions, "norm": norms},
        ).by(self.name)

    def attention_flow(
        self,
        a: str,
        b: str | None = None,
        *,
        layer: int | None = None,
        method: Literal["rollout", "flow"] = "rollout",
        heads_off: Collection[Head] = (),
        layers_off: Collection[int] = (),
    ) -> Grid:
        """How much of each token of the input reaches each token after `layer` (absent: the last), through all layers
        below: "amount" (S,S), row: the token after the layer (Abnar and Zuidema 2020).

        "rollout" multiplies attention up; "flow" is the maximum flow, a problem of its own for each pair: some seconds
        for 30 tokens. Raises BertcoreError for a layer or head that is not there.

        >>> m.attention_flow("The cat sat.")["amount"].sum(axis=1).round(3).tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
        """
        _check_choice("method", method, ("rollout", "flow"))
        interventions.check_layers([] if layer is None else [layer], self.config)
        traced = self.trace(a, b, heads_off=heads_off, layers_off=layers_off)
        attentions = flow.without(traced.attentions, heads_off, layers_off)[: None if layer is None else layer + 1]
        with progress_bar("Following attention") as step:
            if method == "rollout":
                amount = flow.rollout(attentions)[-1]
            else:
                amount = flow.attention_flow(attentions, range(len(traced.tokens)), progress=step)
        return Grid({"to": traced.tokens, "from": traced.tokens}, {"amount": amount}).by(self.name)

    # --- words and vectors --------------------------------------------------------------------------------------------

    def nearest(self, word: str | NDArray, *, top: int = 10, by: NearestBy = "cosine") -> Records[NearWord]:
        """The words of the vocabulary whose embeddings are nearest to that of a word (of several pieces: their mean),
        or to a vector (E), such as a hidden state where it is as wide: word, cosine, distance (L2).

        Raises BertcoreError for a vector of another width, and for a word that the vocabulary does not have.

        >>> len(m.nearest("king", top=3)), len(m.nearest(m.trace("A [MASK].").hidden_states[-1, 2], top=2))
        (3, 2)
        """
        _check_choice("measure", by, get_args(NearestBy))
        words, width = vectors.NearestWords.of(self.checkpoint), self.config.embedding_width
        if not isinstance(word, str):
            if np.shape(word) != (width,):
                raise BertcoreError(
                    f"Words are compared with one vector of {width} numbers, not with {np.shape(word)}."
                )
            return Records(words.near_vector(np.asarray(word, np.float32), top, by)).by(self.name)
        encoding = self.encode(word)
        ids = [token for token, part in zip(encoding.ids, encoding.parts, strict=True) if part != "special"]
        if encoding.unknown or not ids:
            raise BertcoreError(f"The vocabulary of {self.name} has no {word!r}.")
        return Records(words.near(ids, top, by)).by(self.name)

    def word_in_sentences(self, word: str, sentences: Texts) -> WordInSentences:
        """One word in several sentences, and how similar its vectors are (Ethayarajh 2019): `.vectors`
        (L+1,K,H) after the embeddings and each layer, the mean over its pieces, of the K `.sentences` that have it, and
        their `.cosines` (L+1,K,K). `bertcore.analysis.vectors.group_similarity` says at which layer meanings part.

        Raises BertcoreError where no sentence has the word.

        >>> found = m.word_in_sentences("bank", ["He sat on the bank.", "The bank was closed.", "It rained."])
        >>> found.sentences, found.cosines.shape
        ([0, 1], (7, 2, 2))
        """
        with progress_bar("Reading sentences") as step:
            return vectors.word_in_sentences(self.bert, self.tokenizer, word, list(sentences), step).by(self.name)

    def pca(self, a: str, b: str | None = None, *, components: int = 2, **what_if: Unpack[WhatIf]) -> Grid:
        """Hidden states on their principal components, the same for all layers: "pc1", "pc2" ... each (L+1,S), the one
        that explains most first; `.about["explained_variance_ratio"]` says how much.

        >>> found = m.pca("The cat sat.")
        >>> found["pc1"].shape, 0 < sum(found.about["explained_variance_ratio"]) <= 1
        ((7, 6), True)
        """
        encoding, text = self._read(a, b)
        (states,) = passes.hidden_states(self.bert, Batch.of([text]), [range(len(text))], self._changes(**what_if))
        found = vectors.pca(states, components)
        return Grid(
            {"layer": range(self.config.num_hidden_layers + 1), "token": encoding.tokens},
            {f"pc{number}": found.points[..., number - 1] for number in range(1, components + 1)},
            {"explained_variance_ratio": found.explained_variance_ratio.tolist()},
        ).by(self.name)

    # --- a task, and how good it is -----------------------------------------------------------------------------------

    @property
    def task_kind(self) -> str | None:
        """What it was taught: "classify", "tag", "span" ...; None for a model without a task."""
        return task_kind(self.checkpoint)

    @property
    def learned_task(self) -> str | None:
        """The task of the run that it is a snapshot of; None elsewhere."""
        learned = data_of_run(self.checkpoint.folder)
        return learned.task if learned else None

    @one_or_many
    def predict(self, a: str | Texts, b: str | Texts | None = None, **options: Unpack[PredictOptions]) -> Prediction:
        """What a fine-tuned model says: a label, a number, tags, an answer, a choice or a summary.

        `a` is a text, or the question or the beginning; `b` a second text, the passage, or the endings, one on each
        line. Options: `max_answer_tokens` of an answer (30), `sentences` of a summary (3), or `ratio`, their fraction
        of the text's; and what can be changed in a pass (`heads_off` ...). Warns where a text is longer than the model
        reads. Raises BertcoreError where the model was not taught a task.

        >>> sentiment = bertcore.load("runs/sentiment")
        >>> sentiment.predict("We had a wonderful day.").label in sentiment.config.labels
        True
        """
        kind = required_kind(self.checkpoint)
        pairs, is_single = pairs_of(a, b)
        return self._one_or_all(self._predictions([as_example(kind, *pair) for pair in pairs], options), is_single)

    def predict_file(
        self,
        file: str | Path,
        task: str | None = None,
        columns: Mapping[Role, str] | None = None,
        **options: Unpack[PredictOptions],
    ) -> Results[Prediction]:
        """The same for each example of a file, read as the model's own run reads its examples.

        Else `task` says how the file is laid out (`bertcore finetune list`), and `columns` which column has the "text"
        and "text_b". Raises BertcoreError for a file that does not fit.

        >>> len(bertcore.load("runs/sentiment").predict_file("reviews.tsv"))
        2
        """
        return self._predictions(examples_of_file(self.checkpoint, str(file), task, columns or {}), options).by(
            self.name
        )

    def score_file(self, file: str | Path, word: str | None = None) -> Records[TextScore]:
        """What the model says of each line of a file: a text, or A and B with a tab between them.

        Surprise and pseudo-log-likelihood, the probability of `word` (absent: the likeliest one) at the first [MASK],
        next sentence, a fine-tuned model's answer, similarity; None where it has no such head. A template stands for
        all its texts: "The [doctor|nurse] said [he|she] left."
        Raises BertcoreError for a file without texts, and where the model can say nothing of them.

        >>> [score.choices for score in m.score_file("templates.txt")]
        [('cat', 'sat'), ('cat', 'sang'), ('dog', 'sat'), ('dog', 'sang')]
        """
        with progress_bar("Scoring texts") as step:
            return Records(score_texts(self.checkpoint, read_listed_texts(Path(file)), word, step)).by(self.name)

    def evaluate(
        self,
        data: str | Path,
        task: str | None = None,
        columns: Mapping[Role, str] | None = None,
        **decoding: Unpack[DecodingOptions],
    ) -> TaskEvaluation:
        """How well a fine-tuned model does on a held-out file (or a folder's dev part): loss, metrics, confusion.

        `task` absent: the one that its run learned; `decoding` as of `predict`. Raises BertcoreError where file, task
        and model do not fit.

        >>> 0 <= bertcore.load("runs/sentiment").evaluate("held-out.tsv", "sst2").metrics["accuracy"] <= 1
        True
        """
        task = task or self.learned_task
        if task is None:
            raise BertcoreError("Name the task of the file; `bertcore finetune list` shows them all.")
        return evaluate_file(self.checkpoint, task, str(data), columns or {}, Decoding(**decoding))

    def evaluate_text(
        self, files: Files, *, sequence_length: int = 128, sequences: int | None = None, whole: bool = False
    ) -> dict[str, float | None]:
        """Masked words and next sentence on the held-out part of some text, or on all of it (`whole`): losses,
        accuracies, perplexity. `sequences` None: at most 512 of the held-out part, or the whole text.

        Raises BertcoreError where the text cannot be read, or the model has no MLM head.

        >>> m.evaluate_text(["stories.txt"], sequences=8)["perplexity"] > 1
        True
        """
        return evaluate_text(self.checkpoint, _paths(files), sequence_length, sequences, whole)

    def minimal_pairs(self, files: Files) -> MinimalPairs:
        """Whether the model prefers the good sentence of each pair (pseudo-log-likelihood): JSON lines with `good` and
        `bad`, or `sentence_good` and `sentence_bad`, and a `phenomenon` or `UID`, as BLiMP's.

        Raises BertcoreError where a file cannot be read, or the model has no MLM head.
        """
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
        """How good a pretrained model is (docs/evaluation.md): cloze sets, minimal pairs and, by file, masked words and
        next sentence on the part of the text that a run on these files holds out, or with `whole` on all of it. `tell`
        is called with what is being measured.

        Raises BertcoreError where the text cannot be read, or the model has no MLM head.

        >>> len(bertcore.load("bertscope-tiny").report().cloze.answers)
        200
        """
        return measure_model(self.checkpoint, _paths(files), whole=whole, sequence_length=sequence_length, tell=tell)

    # --- what holds over many texts: bertcore.evidence ----------------------------------------------------------------

    def evidence(
        self,
        source: str | Path | Sequence[str] | EvidenceCollection[Any] | None,
        *,
        seed: int = 0,
        first: int | None = None,
        task: str | None = None,
        columns: Mapping[Role, str] | None = None,
        shard: Shard | None = None,
    ) -> Evidence:
        """A collection to ask about: a file (text, table, minimal pairs, templates, CoNLL-U, labelled examples), lines,
        or what has been read; None: the examples that ship for the model's task. `first`: only so many of its rows. Its
        methods (`heads`, `grammar`, `fires`, `probe` ...) give tables with intervals.

        >>> m.evidence(["The cat sat on the mat.", "It was warm."]).calibration().right.count
        2
        """
        source = Path(source) if isinstance(source, str) else source
        return Evidence(self.checkpoint, source, seed, task, columns or {}, shard or Shard(), first)

    def _predictions(self, examples: Sequence[Example], options: PredictOptions) -> Results[Prediction]:
        cut: list[int] = []
        given: dict[str, Any] = dict(options)
        decoding = Decoding(**{name: given.pop(name) for name in DecodingOptions.__annotations__ if name in given})
        changes = self._changes(**given)
        with progress_bar("Predicting") as step:
            found = predict_as_learned(
                self.checkpoint, examples, step, decoding=decoding, changes=changes, tell_cut=cut.append
            )
        self._warn_of_cut(sum(cut), len(examples))
        return Results(found)

    # --- what the methods share -----------------------------------------------------------------------------------

    def _each(
        self,
        description: str,
        a: str | Texts,
        b: str | Texts | None,
        what_if: WhatIf,
        answer: Callable[[Batch, Changes | None, ReportProgress], Sequence[R]],
        cost: Callable[[Encoding], int] = len,
        changed: Callable[[Encoding], Encoding] | None = None,
        warns: bool = False,
    ) -> R:
        """The answer to one text, or `Results` of those to several (`one_or_many`); `answer` gives those to a batch.

        cost: what a text takes of a batch's budget, in tokens; it may refuse the text. changed: the text as it is read.
        warns: where a text is cut off, whose answer does not say so.
        """
        pairs, is_single = pairs_of(a, b)
        changes = self._changes(**what_if) if what_if else None
        found, cut = Results[R](), 0
        with progress_bar(description) as progress:
            for first in range(0, len(pairs), _TEXTS_AT_ONCE):
                encodings = [self.encode(*pair) for pair in pairs[first : first + _TEXTS_AT_ONCE]]
                cut += sum(encoding.dropped > 0 for encoding in encodings)
                found += passes.for_each(
                    self.bert,
                    encodings if changed is None else list(map(changed, encodings)),
                    lambda batch, part: answer(batch, changes, part),
                    cost=cost,
                    alike=changes is not None,  # what is changed may hang on all tokens, and must see no padding
                    progress=part_of(progress, first / len(pairs), len(encodings) / len(pairs)),
                )
        if warns:
            self._warn_of_cut(cut, len(pairs))
        return self._one_or_all(found, is_single)

    def _one_or_all(self, found: Results[R], is_single: bool) -> R:
        """As `one_or_many` has it: to one text the answer, to several them all."""
        answered: Any = found.by(self.name)
        return answered[0] if is_single else answered

    def _read(self, a: str, b: str | None) -> tuple[Encoding, Text]:
        encoding = self.encode(a, b)
        return encoding, passes.as_text(self.bert, encoding.ids, encoding.segments)

    def _changes(
        self,
        heads_off: Collection[Head] = (),
        layers_off: Collection[int] = (),
        ablate_with: str | Values | None = None,
        direction: Direction | None = None,
        changes: Changes | None = None,
    ) -> Changes | None:
        if isinstance(ablate_with, str):
            interventions.ablate(heads_off, layers_off, config=self.config)  # raises for what is not there
            _, text = self._read(ablate_with, None)
            ablate_with = tracing.activations(self.bert, text, interventions.ablated_points(heads_off, layers_off))
        if direction is not None:
            changes = interventions.combine(interventions.one_direction(direction), changes or {})
        return interventions.ablate(heads_off, layers_off, ablate_with, changes, self.config) or None

    def _warn_of_cut(self, cut: int, of: int) -> None:
        """For the first caller outside of this package: nothing in numbers alone says what they are of."""
        if cut:
            files = [frame.filename for frame in inspect.stack(0)]
            level = next((at for at, file in enumerate(files) if not file.startswith(_PACKAGE)), 0) + 1
            warnings.warn(cut_texts(cut, of, self.config.max_length), CutOffWarning, stacklevel=level)


def _with_values(values: list[int], changed: Mapping[int, int] | None) -> list[int]:
    """Values (S), with those at some positions changed."""
    changed = changed or {}
    interventions.check_rows(changed, len(values))
    return [changed.get(at, value) for at, value in enumerate(values)]


def _check_choice(name: str, given: str, choices: tuple[str, ...]) -> None:
    if given not in choices:
        raise BertcoreError(f"There is no {name} {given!r}; choose one of {', '.join(choices)}.")


def _paths(files: Files) -> list[Path]:
    return [Path(files)] if isinstance(files, str | Path) else [Path(file) for file in files]


# --- what a method is given: one text or several, single or in pairs


Texts = list[str] | tuple[str, ...]  # several texts: a batch; whatever gives texts one by one will do
Pair = tuple[str, str | None]  # texts a and b


def pairs_of(a: str | Texts, b: str | Texts | None = None) -> tuple[list[Pair], bool]:
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
