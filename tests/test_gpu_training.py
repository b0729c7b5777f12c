"""A run goes to another machine in pieces, is trained there without its text, and comes back."""

import json
import shutil
import sys

import pytest
import torch

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.training.pretrain_options import PretrainOptions
from bertcore.training.start import start_run
from scripts.gpu_training import extract, join, pack, split, unpack, written_in_pieces
from tests.engine.corpora import STORIES
from tests.engine.training_runs import losses, stop_at, tiny_run

STEPS = 8
KIB = 1 / 1024  # MiB
MIXTURE = {
    "tales.txt": {"kind": "books", "weight": 3},
    "talk.txt": {"kind": "everyday", "weight": 1, "pairs": False},
    "unseen.txt": {"kind": "books", "held_out": True},
}


@pytest.fixture
def options(tmp_path, monkeypatch):
    """Two layers of 32 on three files of a folder, with a vocabulary made before."""
    monkeypatch.setattr("bertcore.runs.run_folder.to_disk", lambda folder: None)
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "home-here"))
    documents, texts = STORIES.split("\n\n"), tmp_path / "texts"
    texts.mkdir()
    for name, part in zip(MIXTURE, (documents[:25], documents[25:45], documents[45:]), strict=True):
        (texts / name).write_text("\n\n".join(part), encoding="utf-8")
    Tokenizer.train(documents, 200, True).save(tmp_path / "vocabulary")
    run = tiny_run(texts, {"mixture": MIXTURE, "tokenizer": str(tmp_path / "vocabulary")}, steps=STEPS)
    return PretrainOptions.from_dict({**run.to_dict(), "model": {**run.model, "num_hidden_layers": 2}})


@pytest.fixture
def parcel(options, tmp_path):
    """In pieces of 1 KiB, two to a trip."""
    (tmp_path / "recipe.json").write_text(json.dumps(options.to_dict()), encoding="utf-8")
    out = tmp_path / "parcel"
    pack(tmp_path / "recipe.json", [tmp_path / "texts"], str(tmp_path / "vocabulary"), out, KIB, 2 * KIB)
    trips = sorted(out.iterdir())
    assert len(trips) > 1 and all(file.stat().st_size <= 1024 for file in out.rglob("piece-*"))
    return trips


def test_there_and_back_is_the_run_that_stayed(options, parcel, tmp_path, monkeypatch):
    start_run(options, tmp_path / "stayed", resume=False)
    (tmp_path / "texts").rename(tmp_path / "hidden")
    there = tmp_path / "there"
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "home-there"))
    monkeypatch.setitem(sys.modules, "sentencex", None)  # an import of it fails
    unpack(parcel, there)
    start_run(None, there, resume=True, on_event=stop_at(there, 5))
    split(there, tmp_path / "back", half=False, piece_mib=16 * KIB, trip_mib=1.0)
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path / "home-here"))
    join(list((tmp_path / "back").iterdir()), tmp_path / "again")
    start_run(None, tmp_path / "again", resume=True)
    assert RunFolder(tmp_path / "again").status().step == STEPS
    assert losses(tmp_path / "again") == losses(tmp_path / "stayed")
    ours, theirs = (RunFolder(tmp_path / name).newest_snapshot() for name in ("again", "stayed"))
    assert (ours / "model.safetensors").read_bytes() == (theirs / "model.safetensors").read_bytes()

    split(tmp_path / "again", tmp_path / "half", half=True, piece_mib=16 * KIB, trip_mib=1.0)
    join(list((tmp_path / "half").iterdir()), tmp_path / "weights")
    snapshot = RunFolder(tmp_path / "weights").newest_snapshot()
    assert not list(snapshot.glob("training_state*"))
    rounded, whole = (load_checkpoint(folder).model.state_dict() for folder in (snapshot, ours))
    torch.testing.assert_close(rounded, whole, rtol=1e-3, atol=1e-6)


def test_a_missing_or_damaged_piece_is_named_and_nothing_is_written(parcel, tmp_path):
    with pytest.raises(BertcoreError, match=r"The piece piece-\d+ of \d+ is missing; carry it over"):
        unpack(parcel[:1], tmp_path / "run")
    damaged = tmp_path / "damaged"
    shutil.copytree(parcel[0], damaged)
    piece = damaged / "piece-001"
    piece.write_bytes(b"x" + piece.read_bytes()[1:])
    with pytest.raises(BertcoreError, match="The piece .*piece-001 is damaged"):
        unpack([damaged, *parcel[1:]], tmp_path / "run")
    with pytest.raises(BertcoreError, match="There is no pieces.json"):
        unpack([tmp_path], tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_parcel_writes_nothing_outside_its_folder(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x")
    with written_in_pieces(tmp_path / "parcel", 1.0, 1.0, preset=0) as archive:
        archive.add(secret, "../outside")
    (tmp_path / "target").mkdir()
    with pytest.raises(BertcoreError, match="contains ../outside, which does not belong in a run"):
        extract(list((tmp_path / "parcel").iterdir()), tmp_path / "target")
    assert not (tmp_path / "outside").exists()
