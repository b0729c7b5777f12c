"""A model to ask from Python: the one door to what the engine computes, for notebooks and for the shell.

Everything here is a thin call into `bertcore.analysis`, `bertcore.tasks`, `bertcore.training` and
`bertcore.evaluation`. B texts, S tokens, L layers, N heads, H hidden. Layers, heads and positions count from 0.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import get_args

import torch

from bertcore.analysis import interventions
from bertcore.analysis.attention_heads import classify_heads, head_facts
from bertcore.analysis.attribution import Method, attribute
from bertcore.analysis.find_heads import find_heads
from bertcore.analysis.find_target import NamedTarget, find_target
from bertcore.analysis.interventions import Head, PatchedPart
from bertcore.analysis.lens import layer_lens, lens_words
from bertcore.analysis.passes import as_text
from bertcore.analysis.patching import check_patching, patching_map
from bertcore.analysis.targets import SimilarityTarget, Target
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import checkpoint_in_memory, load_checkpoint, save_checkpoint
from bertcore.comparing import Comparison, compare
from bertcore.errors import BertcoreError, shortened
from bertcore.files import write_errors
from bertcore.model.bert import Bert
from bertcore.model.hooks import Changes
from bertcore.model.output_heads import HEAD_TITLES
from bertcore.progress import progress_bar
from bertcore.resolve_model import resolve_model, resolve_step, snapshot_errors
from bertcore.results import (
    HeadReport,
    LensWords,
    PatchedText,
    Records,
    TokenAttribution,
    TracedText,
)
from bertcore.runs.known_runs import is_run
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.task_files import data_of_run
from bertcore.word_model import WordModel, check_choice

_READS_AS = ("task", "columns", "max_length", "stride")  # of the data of a fine-tuned model


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
        check_choice("output head", head, tuple(HEAD_TITLES))
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


class LoadedModel(WordModel):
    """An opened model with its tokenizer. A text is a sentence `a` or a pair `a`, `b`; what does not fit is cut off,
    and where only numbers come back, a warning says so.

    Where a method takes several texts, it takes a list (for pairs: two of one length) and gives a result for each, in
    their order, with a progress bar if it takes long. Results have `.to_pandas()`.
    """

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

    def heads(self, a: str, b: str | None = None, *, where: str | None = None) -> Records[HeadReport]:
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
        return LensWords(lens_words(layer_lens(self.bert, states, masks), self.tokenizer, top), masks)

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
        check_choice("method", method, get_args(Method))
        encoding = self.encode(a, b)
        named = _given(target, wanted, against, position) or find_target(
            self.checkpoint, encoding, wanted=wanted, against=against, position=position
        )
        with progress_bar("Attributing") as step:
            attribution = attribute(
                self.bert, self.tokenizer, encoding.ids, encoding.segments, named.target, method, progress=step
            )
        return TokenAttribution(tokens=encoding.tokens, prediction=named.name, **vars(attribution))

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
            map=found.shares,
        )


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
