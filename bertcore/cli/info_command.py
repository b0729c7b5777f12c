"""info: what a model is made of, what it can do, and how the published ones compare."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from bertcore.checkpoint.missing_parts import absent_points, what_is_missing
from bertcore.cli.output import AsJson, ModelArgument, print_json
from bertcore.config import PRESETS, PUBLISHED, BertConfig
from bertcore.errors import BertcoreError
from bertcore.model.parameter_count import count_parameters
from bertcore.resolve import resolve_model


def info(
    model: ModelArgument = None,
    preset: Annotated[
        str | None, typer.Option(help=f"A size without weights: {', '.join([*PRESETS, *PUBLISHED])}.")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="The published models side by side, measured here (half a minute).")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """What a model is made of, and what it can do."""
    if preset is not None and model is not None:
        raise BertcoreError("Give a model or --preset, not both.")
    if compare:
        _compare(model, preset, as_json)
        return
    if preset is not None:
        config = BertConfig.preset(preset)
        facts = _facts(config, count_parameters(config), [])
    else:
        from bertcore.checkpoint.checkpoint import load_checkpoint

        checkpoint = load_checkpoint(resolve_model(model))
        facts = _facts(checkpoint.config, checkpoint.parameters, list(checkpoint.tasks))
        facts["missing"] = what_is_missing(checkpoint.config, checkpoint.tasks, checkpoint.model.pooler is not None)
        facts["unused_tensors"] = list(checkpoint.unused)
        facts["pooling"] = checkpoint.pooling.kind if checkpoint.pooling else None
    if as_json:
        print_json(facts)
        return
    sentences = [*facts.pop("missing", {}).values(), *facts.pop("absent").values()]
    for name, value in facts.items():
        shown = f"{value:,}" if isinstance(value, int) else ", ".join(value) if isinstance(value, list) else value
        if value is not None and (shown or name == "tasks"):
            typer.echo(f"{name.replace('_', ' '):18} {shown or 'none'}")
    for sentence in sentences:
        typer.echo(sentence)


def _facts(config: BertConfig, parameters: int, tasks: list[str]) -> dict[str, Any]:
    segment = absent_points(config).get("embeddings.segment")
    return {
        "family": config.model_type,
        "parameters": parameters,
        "layers": config.num_hidden_layers,
        "layer_groups": config.num_hidden_groups,
        "heads": config.num_attention_heads,
        "hidden_size": config.hidden_size,
        "embedding_size": config.embedding_size,
        "intermediate_size": config.intermediate_size,
        "vocab_size": config.vocab_size,
        "max_positions": config.max_length,
        "segments": config.type_vocab_size,
        "norm": config.norm if config.norm != "post" else None,
        "tasks": tasks,
        "labels": list(config.labels) if {"classify", "tag"} & set(tasks) else [],
        "absent": {"segments": segment} if segment else {},
    }


def _compare(model: str | None, preset: str | None, as_json: bool) -> None:
    from dataclasses import asdict

    from bertcore.analysis.family_table import REFERENCE, TOKENS, family_table
    from bertcore.checkpoint.config_file import read_config

    extra = {preset: BertConfig.preset(preset)} if preset and preset not in PUBLISHED else {}
    if model is not None:
        extra[model] = read_config(resolve_model(model))
    rows = list(family_table(extra))
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    table = Table(Column("model", no_wrap=True), "family", "layers", "hidden size", "parameters", "speed")
    for row in rows:
        numbers = (str(row.layers), str(row.hidden_size), f"{row.parameters:,}", f"{row.speed:.2f}")
        table.add_row(escape(row.name), row.family, *numbers)
    Console().print(table)
    typer.echo("Parameters: encoder with its pooler, shared ones counted once.")
    typer.echo(f"Speed: a forward pass of {TOKENS} tokens on this machine, as a multiple of {REFERENCE}'s.")
