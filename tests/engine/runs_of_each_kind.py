"""The smallest run of each kind of training, as a function that starts it or goes on with it, and what it tells."""

import json

from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.files import is_temporary
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions, TuningOptions
from bertcore.training.pretrain_options import DataOptions, TrainingOptions
from bertcore.training.start import start_run
from tests.engine.models import tiny_model
from tests.engine.training_runs import animal_text, tiny_run, write_text

STEPS = 6  # snapshots at 0, 1, 2, 5 and 6
_EACH = {"steps": STEPS, "batch_size": 8, "threads": 1, "precision": "fp32", "evaluations": 2, "learning_rate": 3e-3}


def tuning(model, train, task="sst2", data=None, own=None, **training):
    """Options of a fine-tuning; data, own: more of its data, and of itself."""
    return FinetuneOptions(
        name="test",
        model=str(model),
        data=TaskDataOptions(task=task, train=str(train), **(data or {})),
        training=TuningOptions(**{**_EACH, **training}),
        **(own or {}),
    )


def distillation(teacher, text, **training):
    settings = {**_EACH, "causal_share": 0.0, "held_out_sequences": 16, **training}
    return DistilOptions(
        name="test",
        teacher=str(teacher),
        data=DataOptions(corpus=(str(text),), sequence_length=16, long_sequence_length=16),
        training=TrainingOptions(**settings),
    )


def pretraining(folder, **training):
    """In `folder` stand the text and, for the others, the model to begin with."""
    text = folder / "animals.txt"
    options = tiny_run(text if text.exists() else write_text(folder), **{"steps": STEPS, "evaluations": 2, **training})
    return lambda run, on_event=None: start_run(options, run, resume=True, on_event=on_event)


def fine_tuning_options(folder, **training):
    """Sounds (right or wrong) of animals."""
    table = folder / "train.tsv"
    if not table.exists():
        rows = [f"the cat says {sound} {'.' * (i % 4)}\t{i % 2}" for i in range(40) for sound in ("meow", "woof")]
        table.write_text("sentence\tlabel\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return tuning(_model(folder), table, data={"max_length": 16}, **{"dropout": 0.1, **training})


def fine_tuning(folder, **training):
    options = fine_tuning_options(folder, **training)
    return lambda run, on_event=None: start_run(options, run, resume=True, on_event=on_event)


def distilling(folder, **training):
    file = folder / "animals.txt"
    text = file if file.exists() else write_text(folder)
    options = distillation(_model(folder), text, **training)
    return lambda run, on_event=None: start_run(options, run, resume=True, on_event=on_event)


def _model(folder):
    place = folder / "model"
    if not place.exists():
        tokenizer = Tokenizer.train(animal_text().splitlines(), 200)
        model = tiny_model(("mlm", "nsp"), vocab_size=tokenizer.vocab_size, num_hidden_layers=2)
        save_checkpoint(model, tokenizer, place)
    return place


RUNS = {"pretrain": pretraining, "finetune": fine_tuning, "distil": distilling}


TIMES = ("elapsed_s", "tok_per_s", "memory_mib", "cores")  # of a metrics line: these may differ


def story(run):
    """All that must not differ between a run and the undisturbed one: every number, and the weights bit for bit."""
    lines = map(json.loads, (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines())
    told = [{key: value for key, value in line.items() if key not in TIMES} for line in lines]
    snapshots = RunFolder(run).snapshots()
    return {
        "state": RunFolder(run).status().state,
        # a snapshot may stand, and not be told of yet; only an interrupted run resumes
        "told": [line for line in told if line["kind"] not in ("snapshot", "resume")],
        "steps": [step for step, _ in snapshots],
        "weights": [(path / "model.safetensors").read_bytes() for _, path in snapshots],
        "moments": (snapshots[-1][1] / "training_state.safetensors").read_bytes(),
        "litter": [file.name for file in run.rglob("*") if is_temporary(file) or file.suffix == ".partial"],
    }
