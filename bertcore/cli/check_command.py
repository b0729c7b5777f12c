"""check: the same checkpoint here and in `transformers`, which only this command imports."""

from __future__ import annotations

import math
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bertcore.cli import arguments as args
from bertcore.cli.output import Listing, print_answer
from bertcore.errors import BertcoreError
from bertcore.locations import base_of

if TYPE_CHECKING:
    from torch import Tensor

    from bertcore.checkpoint.checkpoint import Checkpoint
    from bertcore.model.bert import Bert

    InputBatch = tuple[Tensor, Tensor, Tensor]  # ids, segments and attention mask, (B,S) each
    Outputs = dict[str, Tensor]  # "hidden" (L+1,B,S,H), "attentions" (L,B,N,S,S), and the logits of each head by name

_TITLES = {"hidden": "hidden states", "attentions": "attentions"}


def check(
    model: args.Model = None,
    tolerance: Annotated[
        float, typer.Option(help="The largest difference that is no error: 1e-6 to 1e-5 is usual in fp32.")
    ] = 1e-4,
    as_json: args.AsJson = False,
) -> None:
    """Compare a checkpoint with `transformers`: hidden states, attentions and the logits of each head.

    Where all agree, values are stored in its folder that the window compares with whenever it opens it ("verified").
    """
    m = args.opened(model)
    theirs, heads = _open_in_transformers(m.checkpoint)
    differences = _differences(m.checkpoint, theirs, heads)
    largest = max(differences.values(), key=lambda value: (math.isnan(value), value))
    agrees = largest <= tolerance
    stored = _store_reference(m.checkpoint) if agrees else None
    values = {
        "model": m.name,
        "class": type(theirs).__name__,
        "tolerance": tolerance,
        "differences": differences,
        "largest_difference": largest,
        "agrees": agrees,
        "reference": stored,
    }
    rows = [{"compared": _TITLES.get(name, name), "largest_difference": value} for name, value in differences.items()]
    print_answer(
        values,
        Listing(rows, "compared largest_difference:.1e"),
        f"{'The same' if agrees else 'Not the same'} as {values['class']} of transformers, within {tolerance:g}.",
        stored and f"The window compares with {stored} from now on.",
        as_json=as_json,
    )
    if not agrees:
        raise typer.Exit(1)


def _open_in_transformers(checkpoint: Checkpoint) -> tuple[Any, tuple[str, ...]]:
    """Its class for the checkpoint's heads, and those that the class has. Raises BertcoreError where it cannot."""
    from bertcore.checkpoint.tensor_names import class_name

    folder = checkpoint.folder
    assert folder is not None  # it was opened by its name
    if base_of(folder) is not None:
        raise BertcoreError(
            f"{checkpoint.name} is stored as a difference from another model, which transformers does not read; save "
            "it as a whole first: bertcore.load(MODEL).save(FOLDER)."
        )
    try:
        import transformers
    except ModuleNotFoundError:
        raise BertcoreError(
            "There is nothing to compare with, as transformers is not installed: pip install transformers."
        ) from None
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    name, heads = class_name(checkpoint.config, checkpoint.output_heads)
    try:
        theirs = getattr(transformers, name).from_pretrained(folder, attn_implementation="eager", dtype="float32")
    except Exception as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise BertcoreError(f"The class {name} of transformers cannot open {folder} ({reason:.300}).") from None
    return theirs.eval(), heads


def _differences(checkpoint: Checkpoint, theirs: Any, heads: Collection[str]) -> dict[str, float]:
    """The largest absolute ones over some texts. NaN where a number is none."""
    import torch

    from bertcore.analysis.reference_values import TEXTS

    found: dict[str, float] = {}
    for a, b in TEXTS:
        encoding = checkpoint.tokenizer.encode(a, b, max_length=checkpoint.config.max_length)
        most = max(0, checkpoint.config.type_vocab_size - 1)
        ids, segments = torch.tensor([encoding.ids]), torch.tensor([encoding.segments]).clamp(max=most)
        batch = ids, segments, torch.ones_like(ids)
        ours, expected = our_outputs(checkpoint.model, batch, heads), their_outputs(theirs, batch, heads)
        for name, value in ours.items():
            difference = float((value - expected[name]).abs().max())
            before = found.get(name, 0.0)
            found[name] = difference if math.isnan(difference) else max(before, difference)
    return found


def our_outputs(model: Bert, batch: InputBatch, heads: Collection[str], choices: int = 1) -> Outputs:
    """`choices`: for a head that compares them, how many sequences of the batch go together."""
    import torch

    from bertcore.analysis.passes import head_logits
    from bertcore.model.hooks import Recorder, hidden_points

    record, layers = Recorder(), range(model.config.num_hidden_layers)
    with torch.no_grad():
        hidden = model(*batch, hook=record)
        states = [record[name] for name in hidden_points(len(layers))]
        found = {
            "hidden": torch.stack([*states[:-1], hidden]),
            "attentions": torch.stack([record[f"layer.{i}.attention.probs"] for i in layers]),
        }
        for head in heads:
            logits = head_logits(model, head, hidden)
            found[head] = logits.view(-1, choices) if head == "choice" else logits  # (B*C,1) -> (B,C)
    return found


def their_outputs(model: Any, batch: InputBatch, heads: Collection[str], choices: int = 1) -> Outputs:
    """The same of a model of `transformers` whose class has just these heads."""
    import torch

    ids, segments, mask = batch
    inputs = {"input_ids": ids, "attention_mask": mask}
    if model.config.model_type != "distilbert":
        inputs["token_type_ids"] = segments
    if "choice" in heads:
        inputs = {name: value.view(-1, choices, value.shape[-1]) for name, value in inputs.items()}  # (B/C,C,S)
    with torch.no_grad():
        out = model(**inputs, output_attentions=True, output_hidden_states=True)
    found = {"hidden": torch.stack(out.hidden_states), "attentions": torch.stack(out.attentions)}
    named = {"prediction_logits": "mlm", "seq_relationship_logits": "nsp", "sop_logits": "sop"}
    found |= {ours: getattr(out, name) for name, ours in named.items() if getattr(out, name, None) is not None}
    if "span" in heads:
        found["span"] = torch.stack([out.start_logits, out.end_logits], dim=-1)
    elif len(heads) == 1:
        found[next(iter(heads))] = out.logits
    return found


def _store_reference(checkpoint: Checkpoint) -> str | None:
    """Values for the window's line; None where the model has no masked words, or has values that are right."""
    from bertcore.analysis.reference_values import check_reference, write_reference
    from bertcore.files import write_errors

    before = check_reference(checkpoint)
    is_right = before is not None and before.problem is None
    if is_right or "mlm" in checkpoint.missing or checkpoint.tokenizer.mask_id is None or checkpoint.folder is None:
        return None
    with write_errors(checkpoint.folder):
        return str(write_reference(checkpoint, Path(checkpoint.folder)))
