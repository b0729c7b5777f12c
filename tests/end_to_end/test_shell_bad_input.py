"""`bertcore`, the shell: one sentence and exit code 2 for what cannot be answered."""

import json
import shutil
import sys

import pytest

from bertcore.loaded_model import load
from bertcore.runs.run_folder import RunFolder
from tests.end_to_end.shell import PAIR, SMALL
from tests.engine.models import tiny_checkpoint


@pytest.fixture
def broken(model, tmp_path):
    """A folder of folders and files that are no checkpoints; the names say what is wrong."""
    root = tmp_path / "broken"
    for name in ("cut-off", "no-weights", "no-vocabulary", "other-config", "pickled"):
        shutil.copytree(model, root / name)
    weights = root / "cut-off" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    (root / "no-weights" / "model.safetensors").unlink()
    for name in ("tokenizer.json", "vocab.txt"):
        (root / "no-vocabulary" / name).unlink()
    config = json.loads((model / "config.json").read_text())
    (root / "other-config" / "config.json").write_text(json.dumps({**config, "hidden_size": 64}))
    (root / "pickled" / "model.safetensors").unlink()
    (root / "pickled" / "pytorch_model.bin").write_bytes(b"cposix\nsystem\n(S'echo ran'\ntR.")
    (root / "empty").mkdir()
    (root / "a-file").write_text("x")
    run = RunFolder.create(root / "run-without-snapshots", {"kind": "pretrain"})
    assert run.newest_snapshot() is None
    return root


@pytest.fixture
def run(model, tmp_path):
    """A run with three snapshots, the newest of which is cut off."""
    run = RunFolder.create(tmp_path / "run", {"kind": "pretrain"})
    for step in (10, 20, 30):
        shutil.copytree(model, run.snapshot_path(step))
    cut(run.snapshot_path(30))
    return run.path


def cut(snapshot, name="model.safetensors"):
    (snapshot / name).write_bytes((snapshot / name).read_bytes()[:-10])


class TestDamagedSnapshot:
    """Of one's own run there is nothing to fetch again."""

    @pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
    @pytest.mark.parametrize("command", ["info", "fill", "tokenize", "compare"])
    def test_an_older_one_that_opens_is_named(self, shell, run, command, name):
        if command == "tokenize" and name == "model.safetensors":
            return  # which it does not read
        snapshots = RunFolder(run)
        shutil.copytree(snapshots.snapshot_path(20), snapshots.snapshot_path(30), dirs_exist_ok=True)
        cut(snapshots.snapshot_path(30), name)
        arguments = (command, run)
        if command == "compare":
            arguments = (command, snapshots.snapshot_path(10), "--other-model", run)
        text = () if command in ("info", "compare") else ("--a", "The [MASK]")
        sentence = shell(*arguments, *text).sentence
        assert str(snapshots.snapshot_path(30) / name) in sentence and "fetch" not in sentence
        older = snapshots.snapshot_path(20)
        assert sentence.endswith(f"; open an older snapshot: {older}.")
        assert shell(command, older, *text).code == 0 or command == "compare"

    def test_one_that_is_damaged_too_is_not_advised(self, shell, run):
        snapshots = RunFolder(run)
        cut(snapshots.snapshot_path(20))
        assert shell("info", run).sentence.endswith(f"; open an older snapshot: {snapshots.snapshot_path(10)}.")
        assert shell("info", snapshots.snapshot_path(20)).sentence.endswith(f": {snapshots.snapshot_path(10)}.")
        cut(snapshots.snapshot_path(10))
        assert shell("info", run).sentence.endswith("; no older snapshot of the run can be opened.")

    def test_a_run_that_begins_with_it_says_so_too(self, shell, run, texts):
        begun = ("pretrain", texts[0], "--from", run, "--steps", "1", "--out", run.parent / "new")
        assert shell(*begun).sentence.endswith(f"; open an older snapshot: {RunFolder(run).snapshot_path(20)}.")


class TestBadInput:
    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("empty", "config.json"),
            ("gone", "gone"),
            ("a-file", "is a file"),
            ("cut-off", "cut off"),
            ("no-weights", "no weights"),
            ("no-vocabulary", "no vocabulary"),
            ("other-config", "do not fit"),
            ("pickled", "run code"),
            ("run-without-snapshots", "no snapshot yet"),
        ],
    )
    @pytest.mark.parametrize("command", ["info", "fill", "trace", "tokenize"])
    def test_models(self, shell, broken, command, name, says):
        if command == "tokenize" and name in ("cut-off", "no-weights", "other-config", "pickled"):
            return  # of which it reads nothing
        text = () if command == "info" else ("--a", "The cat")
        sentence = shell(command, broken / name, *text, "--json").sentence
        assert name in sentence and (says in sentence or command == "tokenize")
        assert name != "cut-off" or sentence.endswith("; fetch the checkpoint again.")

    @pytest.mark.parametrize("command", ["tokenize", "fill", "trace"])
    @pytest.mark.parametrize("text", ["", "\n\t"])
    def test_empty_texts(self, shell, model, command, text):
        assert "empty" in shell(command, model, "--a", text).sentence

    @pytest.mark.parametrize("name", ["--a", "--b"])
    def test_invalid_utf8(self, shell, model, name):
        other = {"--a": "The cat", "--b": "It sat", name: "caf\udce9"}  # as Python hands over the byte E9
        arguments = [part for pair in other.items() for part in pair]
        for command in ("tokenize", "fill", "trace"):
            assert f"{name} is not valid UTF-8" in shell(command, model, *arguments).sentence

    def test_a_segment_for_a_model_of_one(self, shell, tmp_path):
        """It reads pairs, all of them in that one (RoBERTa); another cannot be asked for."""
        folder = tiny_checkpoint(tmp_path / "one", type_vocab_size=1)
        out = ("--out", tmp_path / "trace.npz")
        assert shell("fill", folder, *PAIR).code == shell("trace", folder, *PAIR, *out).code == 0
        assert "segment" in shell("trace", folder, *PAIR, *out, "--set-segment", "1=1").sentence

    @pytest.mark.parametrize("place", ["a-file/trace.npz", "gone/trace.npz"])
    def test_a_place_that_cannot_be_written(self, shell, model, broken, place):
        assert "cannot be written" in shell("trace", model, "--a", "The cat", "--out", broken / place).sentence

    @pytest.mark.parametrize(
        ("flags", "says"),
        [
            (("--preset", "huge"), "huge"),
            (("--minutes", "1"), "one budget"),
            (("--vocab-size", "3"), "vocab"),
            (("--recipe", "gone.json"), "gone.json"),
            (("--tokenizer", "gone-folder"), "gone-folder"),
            (("--out", "{text}/run"), "Cannot write the folder"),
            (("--out", "{text}"), "Cannot write the folder"),
        ],
    )
    def test_training_flags(self, shell, texts, tmp_path, flags, says):
        command = ("pretrain", "--corpus", texts[0], "--out", tmp_path / "run", *SMALL, "--steps", "1", "--json")
        assert says in shell(*command, *(flag.format(text=texts[1]) for flag in flags)).sentence

    @pytest.mark.parametrize(
        ("content", "says"),
        [(b"", "is empty"), (b"One line.", "too little text"), (b"\xff\xfe", "not UTF-8"), (None, "no text file")],
    )
    def test_texts_to_train_on(self, shell, tmp_path, content, says):
        file = tmp_path / "text.txt"
        if content is not None:
            file.write_bytes(content)
        sentence = shell("pretrain", "--corpus", file, "--out", tmp_path / "run", *SMALL, "--json").sentence
        assert says in sentence and "text.txt" in sentence

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("pretrain", "--corpus", "~no-such-user/text.txt"), "~no-such-user"),
            (("pretrain",), "--corpus"),
            (("info", "~no-such-user/model"), "~no-such-user"),
            (("info", "no-such-person/bert"), "no-such-person/bert"),  # there is no network
            (("info", "a-model", "--preset", "mini"), "not both"),
        ],
    )
    def test_names_of_nothing(self, shell, tmp_path, arguments, says):
        out = ("--out", tmp_path / "run") if "pretrain" in arguments else ()
        assert says in shell(*arguments, *out, "--json").sentence

    @pytest.mark.parametrize(
        "arguments",
        [("fill", "--top", "0"), ("fill", "--top", "many"), ("dance",), ("info", "--nonsense"), ("info", "a", "b"), ()],
    )
    def test_usage(self, shell, arguments):
        answer = shell(*arguments)
        assert answer.code == 2 and "Traceback" not in answer.err

    def test_names_that_are_no_utf8(self, shell, texts, model, tmp_path):
        if sys.platform != "linux":
            pytest.skip("only Linux has such names")
        odd = "caf\udce9"  # as Python reads the byte E9 in a file's name
        text = texts[0].rename(tmp_path / f"{odd}.txt")
        command = ("pretrain", "--corpus", text, *SMALL, "--steps", "1", "--json", "--out")
        assert "--out is not valid UTF-8" in shell(*command, tmp_path / odd).sentence
        assert shell(*command, tmp_path / "run").json["state"] == "done"
        folder = shutil.copytree(model, tmp_path / odd)
        assert shell("info", folder, "--json").json == shell("info", model, "--json").json
        assert shell("tokenize", folder, "--a", "The cat", "--json").json["tokens"][1:3] == ["the", "cat"]
        written = shell("compare", folder, "--a", "The cat", "--other-a", "A cat", "--out", folder / "out.json")
        assert written.code == 0 and json.loads((folder / "out.json").read_text())["tokens"]
        saved = tmp_path / f"{odd}-saved"
        load(folder).save(saved)
        assert (saved / "tokenizer.json").read_bytes() == (folder / "tokenizer.json").read_bytes()
        assert load(saved).fill("The [MASK]") == load(model).fill("The [MASK]")
        (folder / "tokenizer.json").unlink()
        assert shell("info", folder).code == 0  # from its vocab.txt
        (folder / "vocab.txt").rename(folder / "merges.txt")
        (folder / "vocab.json").write_text("{}")
        assert "is no UTF-8, so its vocab.json cannot be read; rename the folder" in shell("info", folder).sentence
        assert "caf\\udce9" in shell("info", tmp_path / f"no-{odd}").sentence
