"""evidence: what holds over a collection of sentences, pairs or trees, not in one of them alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from bertcore.cli import arguments as args
from bertcore.cli.output import Listing, print_answer
from bertcore.errors import BertcoreError

if TYPE_CHECKING:
    from bertcore.evidence.asking import Evidence

evidence = typer.Typer(no_args_is_help=True, help=__doc__.partition(": ")[2] if __doc__ else "")


@dataclass
class Asked:
    """The flags of every command, and what it does with them."""

    file: Annotated[Path, typer.Argument(metavar="FILE", help="Sentences, pairs, examples or a treebank.")]
    model: args.Model = None
    seed: Annotated[int, typer.Option(help="Of all that is drawn: halves, resamples, masked words.")] = 0
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Do only part I of N, from 1, and write --out FILE.npz.")
    ] = None
    merge: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE.npz", help="Join the parts instead: --merge once for each, or a folder of them."),
    ] = None
    out: args.JsonFile = None
    as_json: args.AsJson = False

    def answer(self, ask: Callable[[Evidence], Any], columns: str) -> Any:
        """Print what is found, as a table with these columns, or write the shard; the result."""
        from bertcore.evidence.shards import Shard

        named = ([*each.glob("*.npz")] if each.is_dir() else [each] for each in self.merge or ())
        shard = Shard(files=[file for each in named for file in each])
        if self.shard is not None:
            number, _, of = self.shard.partition("/")
            if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)) or self.out is None:
                raise BertcoreError("Write a shard as --shard 2/8, the second of eight, and name its --out FILE.npz.")
            shard = Shard(int(number) - 1, int(of))
        about = args.opened(self.model).evidence(self.file, seed=self.seed, shard=shard)
        found = ask(about)
        if self.shard is not None and self.out is not None:
            shard.save(self.out)
            said = f"Shard {self.shard} is in {self.out}; who has all of them joins them with --merge."
            print_answer({**about.about, "shard": self.shard}, said, as_json=self.as_json)
            return found
        facts = {key: each for key, each in vars(found).items() if isinstance(each, str | int | float)}
        left_out = getattr(found, "left_out", ())
        values = {**about.about, **facts, "left_out": left_out, "rows": found.rows()}
        why = f"Left out: {'; '.join(left_out)}." if left_out else None
        finding = getattr(found, "finding", None)
        print_answer(values, Listing(found.rows(), columns), finding, why, as_json=self.as_json, out=self.out)
        return found


INTERVAL = "low:.3f high:.3f count"


@evidence.command()
@args.with_flags_from("asked", Asked)
def heads(
    *,
    asked: Asked,
    measure: Annotated[
        Literal["swap", "zero", "mean", "attention", "gradient"], typer.Option(help="What is measured of each head.")
    ] = "swap",
) -> None:
    """What each head does over pairs of texts; all heads together have one interval."""
    asked.answer(lambda about: about.heads(measure), f"layer:+1 head:+1 value:.3f {INTERVAL} clear")


@evidence.command()
@args.with_flags_from("asked", Asked)
def grammar(*, asked: Asked) -> None:
    """Which head finds each relation of a treebank (CoNLL-U), beside the best fixed distance."""
    columns = f"relation direction layer:+1 head:+1 share:.3f {INTERVAL} distance distance_share:.3f found"
    asked.answer(lambda about: about.grammar(), columns)


@evidence.command()
@args.with_flags_from("asked", Asked)
def prune(
    *,
    asked: Asked,
    part: Annotated[Literal["head", "layer"], typer.Option(help="What is removed.")] = "head",
    random_orders: Annotated[int, typer.Option(min=1, help="Random orders to compare with.")] = 20,
    save: Annotated[
        tuple[int, Path] | None, typer.Option(metavar="COUNT FOLDER", help="Save the model without so many parts.")
    ] = None,
) -> None:
    """What is lost without heads or layers, the least important first, beside random orders."""
    if save is not None and asked.shard is not None:
        raise BertcoreError("What can go is known when all shards are joined; give --save with --merge.")
    columns = f"{part}s_off loss_value:.3f loss_low:.3f loss_high:.3f right_value:.3f random_loss:.3f random_right:.3f"
    found = asked.answer(lambda about: about.prune(part, random_orders), f"{columns} always_right:.3f")
    if save is not None:
        from bertcore.loaded_model import LoadedModel

        m = args.opened(asked.model)
        LoadedModel.of(found.pruned(m.bert, save[0]), m.tokenizer).save(save[1])


@evidence.command()
@args.with_flags_from("asked", Asked)
def calibration(*, asked: Asked) -> None:
    """Whether the model is as often right as it is sure, about masked words or in its task."""
    asked.answer(lambda about: about.calibration(), f"from:.1f to:.1f confidence:.3f value:.3f {INTERVAL}")


@evidence.command()
@args.with_flags_from("asked", Asked)
def nearest(
    *,
    asked: Asked,
    text: Annotated[str, typer.Option("--a", help="A text with the word.")],
    word: Annotated[str, typer.Option(help="The word, or a phrase, other uses of which are looked for.")],
    layer: Annotated[int, typer.Option(min=0, help="After which layer; 0: the embeddings.")] = 0,
    top: Annotated[int, typer.Option(min=1, help="How many uses.")] = 50,
) -> None:
    """The uses of all words of a collection that are nearest to a word of a text."""
    asked.answer(lambda about: about.nearest(text, word, layer, top), "before word after value:.3f place")


@evidence.command()
@args.with_flags_from("asked", Asked)
def fires(
    *,
    asked: Asked,
    layer: Annotated[int, typer.Option(min=1, help="The layer of the neurons or heads.")],
    kind: Annotated[Literal["neuron", "head"], typer.Option(help="What may be strong.")] = "neuron",
    unit: Annotated[
        int | None, typer.Option(help="The contexts of this one (neurons from 0); if not given, all of the layer.")
    ] = None,
) -> None:
    """Where each neuron or head of a layer is strongest: which word, how often; or the contexts of one of them."""

    def ask(about: Evidence) -> Any:
        from bertcore.analysis.interventions import check_numbers

        check_numbers("layer", [layer], about.checkpoint.config.num_hidden_layers, first=1)
        found = about.fires(layer - 1, kind)
        return found if unit is None else found.contexts(unit)

    asked.answer(ask, f"{kind} word times clear:.2f most:.3f" if unit is None else "before word after value:.3f place")


@evidence.command()
@args.with_flags_from("asked", Asked)
def probe(
    *,
    asked: Asked,
    trees: Annotated[bool, typer.Option("--trees", help="The trees themselves, not the tags.")] = False,
    rank: Annotated[int, typer.Option(min=1, help="With --trees: the dimensions that states are mapped to.")] = 32,
) -> None:
    """Which tags of a treebank can be read off each layer, beside a control task; no layer: without a model."""
    asked.answer(lambda about: about.probe_trees(rank) if trees else about.probe(), f"layer of value:.3f {INTERVAL}")


@evidence.command()
@args.with_flags_from("asked", Asked)
def topics(
    *,
    asked: Asked,
    clusters: Annotated[int, typer.Option(min=2, max=12, help="How many clusters.")] = 4,
    layer: Annotated[int | None, typer.Option(min=0, help="After which layer; if not given, the last.")] = None,
) -> None:
    """Documents in clusters: the words typical of each, and how well they match the labels in the file."""
    asked.answer(lambda about: about.topics(clusters, layer), "cluster:+1 count words label of_label")


@evidence.command()
@args.with_flags_from("asked", Asked)
def slices(*, asked: Asked) -> None:
    """Where a model does worse on the examples of its task: by label, length and word, against all others."""
    asked.answer(
        lambda about: about.examples().slices(), f"by name value:.3f {INTERVAL} others_right:.3f loss:.3f p:.4f"
    )
