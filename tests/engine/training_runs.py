"""A text that a tiny model learns in seconds, and runs on it."""

import json
import random

from bertcore.runs.run_folder import RunFolder
from bertcore.training.pretrain_options import DataOptions, PretrainOptions, TrainingOptions

SOUNDS = {"cat": "meow", "dog": "woof", "cow": "moo", "duck": "quack", "sheep": "baa", "pig": "oink"}
PLACES = {"cat": "house", "dog": "yard", "cow": "field", "duck": "pond", "sheep": "hill", "pig": "mud"}


def animal_text(documents=150, seed=0):
    """Each document is about one animal: every noun follows from any other, and from nothing but context."""
    pick = random.Random(seed)
    texts = []
    for number in range(documents):
        animal = pick.choice(list(SOUNDS))
        sentences = [
            f"The {animal} says {SOUNDS[animal]}.",
            f"The {animal} lives in the {PLACES[animal]}.",
            f"In the {PLACES[animal]} we hear {SOUNDS[animal]}.",
        ]
        pick.shuffle(sentences)
        texts.append(" ".join(sentences) + f" That was story {number}.")
    return "\n\n".join(texts)


def write_text(folder, **how):
    file = folder / "animals.txt"
    file.write_text(animal_text(**how), encoding="utf-8")
    return file


def tiny_run(corpus, data=None, **training):
    """One layer of 32, full sequences of 16 tokens, fp32 on one thread: a step takes a few milliseconds."""
    size = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    dropout = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}  # which a resumed run has to draw again
    lengths = {"vocab_size": 200, "sequence_length": 16, "long_sequence_length": 24, "long_share": 0.25}
    quick = {"steps": 24, "batch_size": 8, "learning_rate": 3e-3, "precision": "fp32", "threads": 1}
    return PretrainOptions(
        preset="tiny",
        model=size | dropout,
        data=DataOptions(corpus=(str(corpus),), **{**lengths, **(data or {})}),
        training=TrainingOptions(**{**quick, "evaluations": 1, "held_out_sequences": 16, **training}),
    )


def metrics(run, kind="train"):
    lines = (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [line for line in map(json.loads, lines) if line["kind"] == kind]


def losses(run):
    return [(line["step"], line["loss"]) for line in metrics(run)]


def at_step(step, act):
    """For a run's events: acts when it has taken this step."""

    def watch(event):
        if event["kind"] == "train" and event["step"] == step:
            act()

    return watch


def stop_at(run, step):
    return at_step(step, lambda: RunFolder(run).send("stop"))
