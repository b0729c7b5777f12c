"""A model to ask from Python: the one door to what the engine computes, for notebooks and for the shell.

Everything here is a thin call into `bertcore.analysis`, `bertcore.tasks`, `bertcore.training` and
`bertcore.evaluation`. B texts, S tokens, L layers, N heads, H hidden. Layers, heads and positions count from 0.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, get_args, overload

import numpy as np
import torch
from numpy.typing import NDArray

from bertcore.analysis import interventions
from bertcore.analysis.attention_heads import classify_heads, find_heads, head_facts
from bertcore.analysis.attribution import Method, attribute
from bertcore.analysis.effects import attention_gradient, check_patching, head_effects, link_effects, patching_map
from bertcore.analysis.find_target import NamedTarget, find_target
from bertcore.analysis.flow import attention_flow, attention_norms, rollout, without
from bertcore.analysis.interventions import Head, PatchedPart
from bertcore.analysis.lens import layer_lens, lens_words
from bertcore.analysis.merging import word_groups
from bertcore.analysis.passes import Text, as_text, hidden_states
from bertcore.analysis.predict import (
    cut_off_mask,
    next_sentence,
    predict_masks,
    replaced_probabilities,
    sentence_order,
    top_words,
)
from bertcore.analysis.residual import (
    LogitParts,
    PushedWords,
    logit_parts,
    pushed_words,
    residual_stream,
    strongest_neurons,
)
from bertcore.analysis.sentence_vectors import sentence_vectors
from bertcore.analysis.targets import SimilarityTarget, Target
from bertcore.analysis.trace import trace
from bertcore.analysis.vectors import NearestBy, NearestWords, NearWord, WordInSentences, cosine, pca, word_in_sentences
from bertcore.analysis.words import Surprise, surprises
from bertcore.checkpoint.checkpoint import Checkpoint, checkpoint_in_memory, load_checkpoint, save_checkpoint
from bertcore.checkpoint.sentence_pooling import Pooling
from bertcore.comparing import Comparison, compare
from bertcore.errors import BertcoreError, CutOffWarning, shortened
from bertcore.files import write_errors
from bertcore.model.bert import Bert
from bertcore.model.hooks import Changes
from bertcore.model.output_heads import HEAD_TITLES
from bertcore.progress import ReportProgress, progress_bar, show_status
from bertcore.resolve_model import resolve_model, resolve_step, snapshot_errors
from bertcore.results import (
    Filled,
    HeadReport,
    LensWords,
    PatchedText,
    Predictions,
    TokenAttribution,
    TokenSurprise,
    TracedText,
)
from bertcore.runs.known_runs import is_run
from bertcore.table import Grid, Records, Results
from bertcore.tasks.decoding import USUAL
from bertcore.texts import Pairs, Texts, cut_texts, pairs_of
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer
from bertcore.training.task_files import data_of_run

if TYPE_CHECKING:
    from bertcore.evaluation.report import ModelReport
    from bertcore.evaluation.score_texts import TextScore
    from bertcore.evaluation.sets import MinimalPairs
    from bertcore.tasks.examples import Example, Kind
    from bertcore.tasks.features.predictions import Prediction
    from bertcore.tasks.inference.evaluate import TaskEvaluation
    from bertcore.tasks.readers.spec import Role

Files = str | Path | Sequence[str | Path]  # one, or several
T = TypeVar("T")
R = TypeVar("R")
_READS_AS = ("task", "columns", "max_length", "stride")  # of the data of a fine-tuned model
_NO_MASK = "There is no [MASK] in the text; write one where a word should be predicted."
_TEXTS_AT_ONCE = 2048  # tokenised at a time: a file of a million would fill the memory


def load(
    model: str | Path | None = None, *, random_output_heads: Collection[str] = (), device: str | None = None
) -> LoadedModel:
    """Open a model: "bertscope-mini", "bertscope-tiny", a checkpoint folder, a run (its newest snapshot) or a hub id.

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
        checkpoint = load_checkpoint(folder, random_output_heads, allow_random=bool(random_output_heads))
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

    Where a method takes several texts, it takes a list (for pairs: two of one length) and gives a result for each, in
    their order, with a progress bar if it takes long. Results have `.to_pandas()`.
    """

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

    # --- words and texts ----------------------------------------------------------------------------------------------

    @overload
    def fill(self, a: str, b: str | None = None, *, top: int = 5) -> Filled: ...
    @overload
    def fill(self, a: Texts, b: Texts | None = None, *, top: int = 5) -> Results[Filled]: ...
    def fill(self, a: str | Texts, b: str | Texts | None = None, *, top: int = 5) -> Filled | Results[Filled]:
        """The `top` likeliest words for every [MASK], likeliest first: masks, then words (token, id, probability).

        `.next_sentence`, `.sentence_order`, `.similarity` and `.replaced` are what other heads say of the text, as far
        as the model has them. Raises BertcoreError for a `top` below 1, for a mask that is cut off or that there is no
        MLM head for, and where no head says anything: no mask, and no verdict either.

        >>> filled = m.fill("The cat sat on the [MASK].", "It was warm.", top=3)
        >>> len(filled), len(filled[0])
        (1, 3)
        >>> filled[0][0].probability > filled[0][1].probability
        True
        >>> 0 < filled.next_sentence.is_next < 1
        True
        """
        pairs, is_single = pairs_of(a, b)
        if is_single:
            return self._filled(*pairs[0], top)
        return Results(_for_each("Filling masks", pairs, lambda pair, _: self._filled(*pair, top)))

    def _filled(self, a: str, b: str | None, top: int) -> Filled:
        encoding = self.encode(a, b)
        masks = self.masks(encoding)
        if masks and "mlm" in self.missing:
            raise BertcoreError(self.missing["mlm"])
        outputs = predict_masks(self.bert, encoding.ids, encoding.segments, positions=masks)
        rows = () if outputs.mlm_logits is None else outputs.mlm_logits  # (R,V)
        filled = Filled([top_words(row, self.tokenizer, top) for row in rows], encoding, masks).by(self.name)
        if b and outputs.next_sentence_logits is not None:
            filled.next_sentence = next_sentence(outputs.next_sentence_logits)
        if b and outputs.sentence_order_logits is not None:
            filled.sentence_order = sentence_order(outputs.sentence_order_logits)
        if b and self.checkpoint.pooling is not None:
            filled.similarity = cosine(*self.embed([a, b]))
        if outputs.replaced_logits is not None:
            filled.replaced = replaced_probabilities(outputs.replaced_logits)
        if not masks and not filled.verdicts:
            no_verdict = [self.missing["nsp"]] if b else []
            raise BertcoreError(" ".join([self.missing.get("mlm", _NO_MASK), *no_verdict]))
        return filled

    @overload
    def score(self, a: str, b: str | None = None) -> float: ...
    @overload
    def score(self, a: Texts, b: Texts | None = None) -> NDArray[np.float64]: ...
    def score(self, a: str | Texts, b: str | Texts | None = None) -> float | NDArray[np.float64]:
        """Pseudo-log-likelihood of a text in nats, or of each of several (B): the sum of ln p of each token, all others
        seen.

        Salazar et al. 2020. Of two sentences with the same number of tokens, the model prefers the one with the higher
        score. Warns where a text is longer than the model reads: its score is of the beginning. Raises BertcoreError
        where there is no MLM head, or no mask in the vocabulary.

        >>> m.score(["The cat sat on the mat.", "Mat the on sat cat the."]).shape
        (2,)
        """
        pairs, is_single = pairs_of(a, b)
        found, cut = self._surprises("Scoring texts", pairs, lambda _, each: -float(each.bits.sum()) * math.log(2))
        self._warn_of_cut(cut, len(pairs))
        return found[0] if is_single else np.array(found)

    @overload
    def surprise(self, a: str, b: str | None = None, *, whole_words: bool = False) -> TokenSurprise: ...
    @overload
    def surprise(self, a: Texts, b: Texts | None = None, *, whole_words: bool = False) -> Results[TokenSurprise]: ...
    def surprise(
        self, a: str | Texts, b: str | Texts | None = None, *, whole_words: bool = False
    ) -> TokenSurprise | Results[TokenSurprise]:
        """How little the model expects each token, all others seen: -log2 p in bits (S), 0 for special tokens.

        `whole_words` hides the later pieces of a word with each of its pieces (Kauf and Ivanova 2023).
        Warns and raises as `score` does.

        >>> m.surprise("A cat sat.").scores.shape
        (6,)
        """

        def by_token(encoding: Encoding, found: Surprise) -> TokenSurprise:
            return TokenSurprise(encoding.tokens, found.by_token(len(encoding)), found.pseudo_perplexity).by(self.name)

        pairs, is_single = pairs_of(a, b)
        found, cut = self._surprises("Measuring surprise", pairs, by_token, whole_words)
        self._warn_of_cut(cut, len(pairs))
        return found[0] if is_single else Results(found)

    def _surprises(
        self, description: str, pairs: Pairs, answer: Callable[[Encoding, Surprise], R], whole_words: bool = False
    ) -> tuple[list[R], int]:
        """The answers, and how many texts were cut off."""
        cut = 0

        def answered(portion: Pairs, progress: ReportProgress) -> list[R]:
            nonlocal cut
            encodings = [self.encode(*pair) for pair in portion]
            cut += sum(encoding.dropped > 0 for encoding in encodings)
            groups = [word_groups(encoding) for encoding in encodings] if whole_words else None
            found = surprises(self.bert, encodings, self.tokenizer.mask_id, groups=groups, progress=progress)
            return [answer(*each) for each in zip(encodings, found, strict=True)]

        return [each for portion in _for_each(description, _portions(pairs), answered) for each in portion], cut

    def embed(self, a: str | Texts, *, pooling: Literal["mean", "cls"] | None = None) -> NDArray[np.float32]:
        """The vector of a text (H), or of each of several (B,H): the mean of its last hidden states, special tokens
        too, or that of [CLS].

        Absent, `pooling` is what the folder of a sentence encoder says, which may also scale vectors to length 1;
        "mean" for any other model. Warns as `score` does.

        >>> m.embed("One text.").shape == (m.config.hidden_size,)
        True
        """
        _check_choice("pooling", pooling or "mean", ("mean", "cls"))
        way = Pooling(pooling, normalised=False) if pooling else self.checkpoint.pooling or Pooling("mean", False)
        pairs, is_single = pairs_of(a)
        cut = 0

        def embedded(portion: Pairs, progress: ReportProgress) -> NDArray[np.float32]:
            nonlocal cut
            encodings = [self.encode(*pair) for pair in portion]
            cut += sum(encoding.dropped > 0 for encoding in encodings)
            return sentence_vectors(self.bert, encodings, way, progress=progress)

        vectors = np.concatenate(_for_each("Embedding texts", _portions(pairs), embedded))  # (B,H)
        self._warn_of_cut(cut, len(pairs))
        return vectors[0] if is_single else vectors

    def masks(self, encoding: Encoding, required: bool = False) -> list[int]:
        """Positions of its masks. Raises BertcoreError where one is cut off, and where they are required and there are
        none."""
        if cut := cut_off_mask(self.tokenizer, encoding):
            raise BertcoreError(cut)
        masks = [i for i, token_id in enumerate(encoding.ids) if token_id == self.tokenizer.mask_id]
        if required and not masks:
            raise BertcoreError(_NO_MASK)
        return masks

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
        return TracedText(**vars(found), encoding=encoding).by(self.name)

    def heads(self, a: str, b: str | None = None, *, where: str | None = None) -> Records[HeadReport]:
        """What each attention head does in a text: its kind, entropy, distance and shares; L x N rows.

        `where` keeps the heads that it describes, the best first: a kind, or conditions such as "attn(it -> cat) > 0.3"
        (`bertcore.analysis.attention_heads`). Raises BertcoreError for a description that cannot be read.

        >>> len(m.heads("The cat sat on the mat."))
        36
        """
        encoding = self.encode(a, b)
        attentions = trace(self.bert, encoding.ids, encoding.segments, mlm_positions=[]).attentions  # (L,N,S,S)
        kinds = [classify_heads(layer, encoding) for layer in attentions]
        places = [divmod(flat, attentions.shape[1]) for flat in range(attentions.shape[0] * attentions.shape[1])]
        if where is not None:
            places = [(match.layer, match.head) for match in find_heads(where, attentions, encoding).matches]
        return Records[HeadReport](
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

        Raises BertcoreError where there is no MLM head, no mask or one that is cut off, and for a `top` below 1.

        >>> words = m.lens("The cat sat on the [MASK].", top=1)
        >>> len(words), words[-1][0][0].token == m.fill("The cat sat on the [MASK].")[0][0].token
        (7, True)
        """
        encoding = self.encode(a, b)
        masks = self.masks(encoding, required=True)
        states = trace(self.bert, encoding.ids, encoding.segments, mlm_positions=[]).hidden_states  # (L+1,S,H)
        return LensWords(lens_words(layer_lens(self.bert, states, masks), self.tokenizer, top), masks).by(self.name)

    def attribute(
        self,
        a: str,
        b: str | None = None,
        *,
        wanted: str | None = None,
        against: str | None = None,
        position: int | None = None,
        target: Target | None = None,
        method: Method = "integrated_gradients",
    ) -> TokenAttribution:
        """How much each token (S) supports a prediction, in nats of its ln p.

        The prediction is the word `wanted` (absent: the likeliest one) at `position` (absent: the first [MASK]). In a
        text without a mask it is the label of a classifier or tagger (absent: the likeliest), the start of an answer,
        else that B follows A: see `bertcore.analysis.find_target`. `against` is another word or label: then the number
        is ln p(wanted) - ln p(against). `target` instead is any other (`bertcore.analysis.targets`).
        "integrated_gradients" starts from the same text with every word masked; "leave_one_out" masks each token in
        turn. Formulas: `bertcore.analysis.attribution`.
        Raises BertcoreError where the model has no head for the prediction, or the word is more than one token.

        >>> found = m.attribute("The cat sat on the [MASK].", wanted="floor", method="leave_one_out")
        >>> found.prediction, found.scores.shape
        ('floor', (9,))
        """
        _check_choice("method", method, get_args(Method))
        encoding, text = self._read(a, b)
        named = self._target(encoding, target, wanted, against, position)
        with progress_bar("Attributing") as step:
            attribution = attribute(self.bert, self.tokenizer, text, named.target, method, progress=step)
        return TokenAttribution(tokens=encoding.tokens, prediction=named.name, **vars(attribution)).by(self.name)

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
        other = load(other_model) if isinstance(other_model, str | Path) else other_model
        return compare(
            self.checkpoint,
            None if other is None else other.checkpoint,
            None if a is None else (a, b),
            _other_texts(b, other_a, other_b),
        )

    def patch(
        self,
        a: str,
        b: str | None = None,
        *,
        other_a: str,
        other_b: str | None = None,
        wanted: str | None = None,
        against: str | None = None,
        position: int | None = None,
        target: Target | None = None,
        part: PatchedPart = "state",
        head_position: int | None = None,
    ) -> PatchedText:
        """Activation patching: the pass over this text gets, place by place, what `other_a`, `other_b` has there.

        An absent `other_b` is `b`; "" for none. Both texts need the same number of tokens. `.map` is how much of their
        difference in a prediction comes back: 0 none, 1 all. The prediction is `wanted` (a word, a label, a tag ...),
        perhaps `against` another; absent, the other text's likeliest answer against this one's
        (`bertcore.analysis.find_target`), or of a sentence encoder the similarity to `b`. `target` instead is any other
        (`bertcore.analysis.targets`). `part` is "state", "head", "attention" or "feed-forward"; `head_position` patches
        heads at one token. Raises BertcoreError for texts that cannot be patched, or that hardly differ in the
        prediction.

        >>> found = m.patch("The man put on [MASK] hat.", other_a="The woman put on [MASK] hat.", wanted="her")
        >>> found.map.shape == (7, len(found.tokens)), round(float(found.map[0, 2]), 3)
        (True, 1.0)
        """
        named, other = _given(target, wanted, against, position), _other_texts(b, other_a, other_b)
        assert other is not None
        if named is None and wanted is None and b and self.checkpoint.pooling is not None:
            if other[1] != b:
                raise BertcoreError("Similarity is to one text B; leave out the other B, or give the same one.")
            pooling, vector = self.checkpoint.pooling.kind, self.embed(b)
            named = NamedTarget(SimilarityTarget(vector=tuple(vector.tolist()), pooling=pooling), "similarity")
            b, other = None, (other_a, None)
        encodings = [self.encode(a, b), self.encode(*other)]
        text, source = (as_text(self.bert, encoding.ids, encoding.segments) for encoding in encodings)
        check_patching(text, source, part, head_position)
        if named is None:
            named = find_target(self.checkpoint, *encodings, wanted=wanted, against=against, position=position)
        with progress_bar("Patching") as step:
            found = patching_map(self.bert, text, source, named.target, part, position=head_position, progress=step)
        return PatchedText(
            tokens=encodings[0].tokens,
            other_tokens=encodings[1].tokens,
            target=named.name,
            score=found.text,
            other_score=found.other,
            part=part,
            patched=found.patched,
            map=found.fractions,
        ).by(self.name)

    # --- which part of the model does it ------------------------------------------------------------------------------
    # The prediction is named as in `attribute`: `wanted`, `against` and `position`, or a `target`.

    def head_effects(
        self,
        a: str,
        b: str | None = None,
        *,
        wanted: str | None = None,
        against: str | None = None,
        position: int | None = None,
        target: Target | None = None,
    ) -> Grid:
        """Which heads a prediction needs: each of the L x N heads is switched off alone (Michel et al. 2019, 3.2).

        "effect" (L,N) is the change of ln p in nats (of a number: itself): below 0, it suffers. Raises as `attribute`.

        >>> found = m.head_effects("The cat sat on the [MASK].", wanted="floor")
        >>> found["effect"].shape, found.about["prediction"]
        ((6, 6), 'floor')
        """
        encoding, text = self._read(a, b)
        named = self._target(encoding, target, wanted, against, position)
        with progress_bar("Switching heads off") as step:
            found = head_effects(self.bert, text, named.target, progress=step)
        layers, heads = found.without.shape
        about = {"prediction": named.name, "value": found.intact}
        return Grid({"layer": range(layers), "head": range(heads)}, {"effect": found.effect}, about)

    def link_effects(
        self,
        a: str,
        b: str | None = None,
        *,
        layer: int,
        head: int,
        from_position: int,
        wanted: str | None = None,
        against: str | None = None,
        position: int | None = None,
        target: Target | None = None,
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
        named = self._target(encoding, target, wanted, against, position)
        first_order = attention_gradient(self.bert, text, named.target, layer)
        with progress_bar("Taking links away") as step:
            link = layer, head, from_position, range(len(text))
            effects = link_effects(self.bert, text, named.target, *link, progress=step)
        row = head, from_position
        arrays = {"attention": first_order.attention[row], "gradient": first_order.gradient[row], "effect": effects}
        return Grid({"to": encoding.tokens}, arrays, {"prediction": named.name, "value": first_order.value})

    def logit_parts(
        self,
        a: str,
        b: str | None = None,
        *,
        wanted: str | None = None,
        against: str | None = None,
        position: int | None = None,
    ) -> LogitParts:
        """Which part of each layer speaks for a word: direct logit attribution (Elhage et al. 2021).

        `.heads` (L,N), `.feed_forward` (L), `.embeddings` and `.biases` add up to `.logit` (with `against`, the
        difference of the two); `.error` is by how much they do not. Every LayerNorm and the activation of the word head
        are held fixed: `bertcore.analysis.residual.logit_parts`. Raises as `attribute`, and where it is no word.

        >>> parts = m.logit_parts("The cat sat on the [MASK].", wanted="floor", against="bed")
        >>> parts.heads.shape, parts.feed_forward.shape, abs(parts.error) < 1e-3
        ((6, 6), (6,), True)
        """
        encoding, text = self._read(a, b)
        return logit_parts(self.bert, text, self._target(encoding, None, wanted, against, position).target)

    def residual_stream(self, a: str, b: str | None = None) -> Grid:
        """How much each layer adds to each token's vector (L,S): L2 lengths, and cosines with what was there.

        "entering" the layer; what "attention" adds, "attention_cosine"; "middle", what feed-forward finds; what
        "feed_forward" adds, "feed_forward_cosine". Formulas: `bertcore.analysis.residual`.

        >>> m.residual_stream("The cat sat.")["attention"].shape
        (6, 6)
        """
        encoding, text = self._read(a, b)
        found = vars(residual_stream(self.bert, text))
        return Grid({"layer": range(self.config.num_hidden_layers), "token": encoding.tokens}, found)

    def neurons(self, a: str, b: str | None = None, *, top: int = 20) -> Grid:
        """The `top` feed-forward neurons of all layers that fire most for each token: "layer", "neuron", "activation",
        each (S,top), the highest first (Geva et al. 2021). `neuron_words` says what one does.

        >>> m.neurons("The cat sat.", top=3)["activation"].shape
        (6, 3)
        """
        encoding, text = self._read(a, b)
        found = strongest_neurons(self.bert, text, k=top)
        return Grid(
            {"token": encoding.tokens, "place": range(1, found.layers.shape[1] + 1)},
            {"layer": found.layers, "neuron": found.neurons, "activation": found.activations},
        )

    def neuron_words(self, layer: int, neuron: int, *, top: int = 10) -> PushedWords:
        """The words that a feed-forward neuron makes likelier (`.up`) and less likely (`.down`): word, dot product.

        Geva et al. 2022: its output weights against the token table; the word head's transform is left out. Raises
        BertcoreError for a neuron that is not there.

        >>> len(m.neuron_words(5, 11, top=4).up)
        4
        """
        return pushed_words(self.bert, self.tokenizer, layer, neuron, top)

    def attention_norms(self, a: str, b: str | None = None) -> Grid:
        """How long each vector is that a head takes from one token to another, "norm", beside the "attention" itself:
        each (L,N,S,S), row: who looks (Kobayashi et al. 2020, "Attention is Not Only a Weight").

        >>> m.attention_norms("The cat sat.")["norm"].shape
        (6, 6, 6, 6)
        """
        traced = self.trace(a, b)
        layers, heads, *_ = traced.attentions.shape
        norms = attention_norms(self.bert, traced.attentions, traced.values)
        return Grid(
            {"layer": range(layers), "head": range(heads), "from": traced.tokens, "to": traced.tokens},
            {"attention": traced.attentions, "norm": norms},
        )

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
        attentions = without(traced.attentions, heads_off, layers_off)[: None if layer is None else layer + 1]
        with progress_bar("Following attention") as step:
            tokens = range(len(traced.tokens))
            amount = rollout(attentions)[-1] if method == "rollout" else attention_flow(attentions, tokens, None, step)
        return Grid({"to": traced.tokens, "from": traced.tokens}, {"amount": amount})

    # --- words and vectors --------------------------------------------------------------------------------------------

    def nearest(self, word: str | NDArray, *, top: int = 10, by: NearestBy = "cosine") -> Records[NearWord]:
        """The words of the vocabulary whose embeddings are nearest to that of a word (of several pieces: their mean),
        or to a vector (E), such as a hidden state where it is as wide: word, cosine, distance (L2).

        Raises BertcoreError for a vector of another width, and for a word that the vocabulary does not have.

        >>> len(m.nearest("king", top=3)), len(m.nearest(m.trace("A [MASK].").hidden_states[-1, 2], top=2))
        (3, 2)
        """
        _check_choice("measure", by, get_args(NearestBy))
        words, width = NearestWords.of(self.checkpoint), self.config.embedding_width
        if not isinstance(word, str):
            if np.shape(word) != (width,):
                raise BertcoreError(
                    f"Words are compared with one vector of {width} numbers, not with {np.shape(word)}."
                )
            return Records(words.near_vector(np.asarray(word, np.float32), top, by))
        encoding = self.encode(word)
        ids = [token for token, part in zip(encoding.ids, encoding.parts, strict=True) if part != "special"]
        if encoding.unknown or not ids:
            raise BertcoreError(f"The vocabulary of {self.name} has no {word!r}.")
        return Records(words.near(ids, top, by))

    def word_in_sentences(self, word: str, sentences: Texts) -> WordInSentences:
        """One word where it stands in several sentences, and how alike it is there (Ethayarajh 2019): `.vectors`
        (L+1,K,H) after the embeddings and each layer, the mean over its pieces, of the K `.sentences` that have it, and
        their `.cosines` (L+1,K,K). `bertcore.analysis.vectors.group_similarity` says at which layer meanings part.

        Raises BertcoreError where no sentence has the word.

        >>> found = m.word_in_sentences("bank", ["He sat on the bank.", "The bank was closed.", "It rained."])
        >>> found.sentences, found.cosines.shape
        ([0, 1], (7, 2, 2))
        """
        with progress_bar("Reading sentences") as step:
            return word_in_sentences(self.bert, self.tokenizer, word, list(sentences), step)

    def pca(self, a: str, b: str | None = None, *, components: int = 2) -> Grid:
        """Hidden states on their principal components, the same for all layers: "pc1", "pc2" ... each (L+1,S), the one
        that explains most first; `.about["explained_variance_ratio"]` says how much.

        >>> found = m.pca("The cat sat.")
        >>> found["pc1"].shape, 0 < sum(found.about["explained_variance_ratio"]) <= 1
        ((7, 6), True)
        """
        encoding, text = self._read(a, b)
        found = pca(hidden_states(self.bert, text, range(len(text))), components)
        return Grid(
            {"layer": range(self.config.num_hidden_layers + 1), "token": encoding.tokens},
            {f"pc{number}": found.points[..., number - 1] for number in range(1, components + 1)},
            {"explained_variance_ratio": found.explained_variance_ratio.tolist()},
        )

    def _read(self, a: str, b: str | None) -> tuple[Encoding, Text]:
        encoding = self.encode(a, b)
        return encoding, as_text(self.bert, encoding.ids, encoding.segments)

    def _target(
        self, encoding: Encoding, target: Target | None, wanted: str | None, against: str | None, position: int | None
    ) -> NamedTarget:
        """The prediction that is named. Raises BertcoreError where there is none."""
        return _given(target, wanted, against, position) or find_target(
            self.checkpoint, encoding, wanted=wanted, against=against, position=position
        )

    # --- a task, and how good it is -----------------------------------------------------------------------------------

    @property
    def task_kind(self) -> Kind | None:
        """What it was taught: "classify", "tag", "span" ...; None for a model without a task."""
        from bertcore.tasks.inference.predict import task_kind

        return task_kind(self.checkpoint)

    @property
    def learned_task(self) -> str | None:
        """The task of the run that it is a snapshot of; None elsewhere."""
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
        """How good a pretrained model is (docs/evaluation.md): cloze sets, minimal pairs and, by file, masked words and
        next sentence on the part of the text that a run on these files holds out, or with `whole` on all of it. `tell`
        is called with what is being measured.

        Raises BertcoreError where the text cannot be read, or the model has no MLM head.

        >>> len(bertcore.load("bertscope-tiny").report().cloze.answers)
        200
        """
        from bertcore.evaluation.report import measure_model

        return measure_model(self.checkpoint, _paths(files), whole=whole, sequence_length=sequence_length, tell=tell)

    def _predictions(self, examples: Sequence[Example]) -> Predictions:
        from bertcore.training.task_files import predict_as_learned

        cut: list[int] = []
        with progress_bar("Predicting") as step:
            found = predict_as_learned(self.checkpoint, examples, step, decoding=self.decoding, tell_cut=cut.append)
        self._warn_of_cut(sum(cut), len(examples), stacklevel=4)
        return Predictions(found).by(self.name)

    def _warn_of_cut(self, cut: int, of: int, stacklevel: int = 3) -> None:
        """For who has called the method that calls this: nothing in numbers alone says what they are of."""
        if cut:
            warnings.warn(cut_texts(cut, of, self.config.max_length), CutOffWarning, stacklevel=stacklevel)


def _other_texts(b: str | None, other_a: str | None, other_b: str | None) -> tuple[str, str | None] | None:
    """The other text with its B, which is ours where none is given, and None for ""."""
    if other_a is None:
        if other_b is not None:
            raise BertcoreError("The other text B is the second sentence of the other text A; give that too.")
        return None
    return other_a, b if other_b is None else other_b or None


def _given(target: Target | None, *instead: object) -> NamedTarget | None:
    """The target. Raises BertcoreError where what names another one (a word, a place ...) is given beside it."""
    if target is None:
        return None
    if any(each is not None for each in instead):
        raise BertcoreError("Name a prediction by its word or label and place, or give a target, not both.")
    return NamedTarget(target, "target")


def _with_values(values: list[int], changed: Mapping[int, int] | None) -> list[int]:
    """Values (S), with those at some positions changed."""
    changed = changed or {}
    interventions.check_rows(changed, len(values))
    return [changed.get(at, value) for at, value in enumerate(values)]


def _for_each(description: str, texts: Sequence[T], answer: Callable[[T, ReportProgress], R]) -> list[R]:
    """The answer to each text, with a progress bar."""
    answers: list[R] = []
    with progress_bar(description) as step:
        for text in texts:
            answers.append(answer(text, lambda share: step((len(answers) + share) / len(texts))))
            step(len(answers) / len(texts))
    return answers


def _portions(pairs: Pairs) -> list[Pairs]:
    """One at least, so that no texts give an empty result of the right shape."""
    return [pairs[first : first + _TEXTS_AT_ONCE] for first in range(0, max(1, len(pairs)), _TEXTS_AT_ONCE)]


def _check_choice(name: str, given: str, choices: tuple[str, ...]) -> None:
    if given not in choices:
        raise BertcoreError(f"There is no {name} {given!r}; choose one of {', '.join(choices)}.")


def _paths(files: Files) -> list[Path]:
    return [Path(files)] if isinstance(files, str | Path) else [Path(file) for file in files]
