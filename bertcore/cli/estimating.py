"""--estimate: what a run would learn from, and what it would take, without training."""

import time
from typing import Annotated, Any

import typer

from bertcore.cli.output import print_json, say
from bertcore.errors import BertcoreError
from bertcore.memory import keep_freed_memory
from bertcore.resolve_model import resolve_model
from bertcore.tasks.readers.reading import find_file, task_named
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training import data_facts
from bertcore.training.data_facts import Cost, Fault, RunEstimate, TaskFacts, TextFacts
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions

EstimateFlag = Annotated[
    bool,
    typer.Option(
        "--estimate",
        help="Do not train: describe the data and estimate how much time and memory the run would need. "
        "With --json, one line for the data and one for the estimate.",
    ),
]
AnyOptions = PretrainOptions | FinetuneOptions | DistilOptions


def say_estimate(options: AnyOptions, as_json: bool) -> None:
    """Prints what the data is as soon as it is read, then the estimate: lines of JSON, or sentences."""

    def tell(kind: str, facts: dict[str, Any], words: list[str]) -> None:
        if as_json:
            print_json({"kind": kind, **facts})
        else:
            say("\n".join(words))

    began = time.perf_counter(), time.process_time()
    facts = _facts(options, tell)
    described = time.perf_counter() - began[0], time.process_time() - began[1]
    keep_freed_memory()
    from bertcore.training.trial_run import estimate_run

    own_s = time.process_time() - described[1]  # imports: hardly anything else but the processor is at work
    examples = (facts.train, facts.held_out) if isinstance(facts, TaskFacts) else None
    found = estimate_run(options, Cost(own_s, own_s), examples)
    tell("estimate", found.to_dict(), _estimate_in_words(found))


def _facts(options: AnyOptions, tell: Any) -> TaskFacts | TextFacts:
    """Raises BertcoreError after having shown where the fault is."""
    facts: TaskFacts | TextFacts
    try:
        if isinstance(options, FinetuneOptions):
            facts = data_facts.task_facts(options, Tokenizer.from_folder(resolve_model(options.model)))
        else:
            facts = data_facts.text_facts(options.data)
    except BertcoreError as error:
        fault = _fault(options, error)
        tell("fault", fault.to_dict(), [f"{number:>8,}  {line}" for number, line in fault.lines])
        raise
    tell("data", facts.to_dict(), _task_in_words(facts) if isinstance(facts, TaskFacts) else _text_in_words(facts))
    return facts


def _fault(options: AnyOptions, error: BertcoreError) -> Fault:
    if not isinstance(options, FinetuneOptions):
        return Fault(str(error), None, ())
    for place, split in ((options.data.train, "train"), (options.data.dev or options.data.train, "dev")):
        try:
            file = find_file(task_named(options.data.task), place, split)
        except BertcoreError:
            continue
        if f"{file.name}, line " in str(error):
            return data_facts.fault_of(error, file)
    return Fault(str(error), None, ())


def _task_in_words(facts: TaskFacts) -> list[str]:
    lengths = facts.lengths
    columns = ", ".join(f"{role} from column {name}" for role, name in facts.layout.columns.items())
    held_out = f"from {facts.held_out_file}" if facts.held_out_file else "taken from the same file"
    shown = "  ".join(f"{label} {count:,}" for label, count in facts.labels)
    return [
        f"{facts.file}: {facts.train:,} examples to learn from, {facts.held_out:,} held out ({held_out}).",
        f"Read as: {facts.layout.name}" + (f" ({columns})." if columns else "."),
        f"Labels: {shown}" + (f" and {facts.other_labels:,} more." if facts.other_labels else "."),
        f"{lengths.longer:,} of {lengths.counted:,} examples are longer than {lengths.cut_at} tokens; the longest has "
        f"{lengths.longest:,}.",
        *facts.notes,
    ]


def _text_in_words(facts: TextFacts) -> list[str]:
    part = "" if facts.share == 1.0 else f" in the first {facts.share:.0%} of the text"
    return [
        f"{', '.join(facts.files)}: {facts.documents:,} documents, {facts.sentences:,} sentences, "
        f"{facts.words:,} words{part}.",
        f"Read as: {facts.layout.name}.",
    ]


def _estimate_in_words(found: RunEstimate) -> list[str]:
    parts = {name: getattr(found, name).seconds for name in ("preparing", "training", "measuring", "saving")}
    words = ", ".join(f"{name} {seconds:,.0f} s" for name, seconds in parts.items())
    load = "" if found.load is None else f" The machine was {found.load:.0%} busy; the estimate depends on that."
    return [
        f"Parameters: {found.parameters:,}, vocabulary {found.vocab_size:,}.",
        f"About {found.total.seconds / 60:,.1f} minutes ({words}), {found.steps:,} steps"
        + (f", {found.epochs:,.1f} epochs." if found.epochs is not None else "."),
        f"Memory: about {found.memory_mib:,.0f} MiB." if found.memory_mib else "",
        f"{found.device}, {found.precision}, threads: {found.threads}.{load}",
    ]
