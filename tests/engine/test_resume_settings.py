"""What may be changed of a run that goes on: its budget and what changes no number; anything else is refused."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from bertcore.errors import BertcoreError
from bertcore.locations import TINY
from bertcore.runs.run_folder import RunFolder
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune import FineTuning
from bertcore.training.finetune_options import FinetuneOptions, TaskDataOptions
from bertcore.training.pretrain_options import DataOptions, PretrainOptions
from bertcore.training.run_settings import overlay, resume_settings
from bertcore.training.start import open_or_create, run_sweep, start_run
from bertcore.training.sweep_plan import PlannedRun, Varied
from tests.engine.training_runs import losses, metrics, stop_at, tiny_run


def config(run: Path) -> dict[str, Any]:
    return json.loads((run / "config.json").read_text())


def phases(run: Path) -> dict[str, int]:
    """Each one's first step."""
    told = [(line["phase"], line["step"]) for line in metrics(run, "phase")]
    assert len(told) == len(dict(told))
    return dict(told)


class TestBudget:
    def test_a_run_that_is_done_gets_more_steps(self, text: Path, run: Path) -> None:
        start_run(tiny_run(text, steps=12), run, resume=False)
        before = losses(run)
        start_run(tiny_run(text, steps=20), run, resume=True)
        status = RunFolder(run).status()
        assert (status.state, status.step, status.total_steps) == ("done", 20, 20)
        assert config(run)["training"]["steps"] == 20
        assert "steps 20, was 12" in (run / "log.txt").read_text()
        assert losses(run)[:12] == before and len(losses(run)) == 20
        first, second = metrics(run, "resume")
        assert (first["step"], first["changed"]) == (12, "steps 20, was 12") and second == {
            "kind": "resume",
            "step": 12,
        }

    def test_the_rate_follows_the_new_budget(self, text: Path, run: Path) -> None:
        """Linear decay of a run of 24 steps, by hand: the share (step - 0.5) / 24 of the way after 5% of warm-up."""
        start_run(tiny_run(text, steps=12), run, resume=False)
        start_run(tiny_run(text, steps=24), run, resume=True)
        rates = {line["step"]: line["learning_rate"] for line in metrics(run)}
        assert rates[13] == pytest.approx(3e-3 * (1 - (12.5 / 24 - 0.05) / 0.95))
        assert rates[24] == pytest.approx(3e-3 * (1 - (23.5 / 24 - 0.05) / 0.95))
        assert rates[12] == pytest.approx(3e-3 * (1 - (11.5 / 12 - 0.05) / 0.95))

    def test_fewer_steps_end_a_run_sooner(self, text: Path, run: Path) -> None:
        start_run(tiny_run(text, steps=100), run, resume=False, on_event=stop_at(run, 6))
        start_run(tiny_run(text, steps=9), run, resume=True)
        assert (RunFolder(run).status().state, RunFolder(run).status().step) == ("done", 9)

    def test_less_than_is_done_is_refused(self, text: Path, run: Path) -> None:
        start_run(tiny_run(text, steps=12), run, resume=False, on_event=stop_at(run, 6))
        with pytest.raises(BertcoreError, match="has done 6 steps already"):
            start_run(tiny_run(text, steps=5), run, resume=True)
        assert config(run)["training"]["steps"] == 12

    def test_from_steps_to_minutes(self, text: Path, run: Path) -> None:
        start_run(tiny_run(text, steps=5), run, resume=False)
        start_run(tiny_run(text, steps=None, minutes=0.03), run, resume=True)
        status = RunFolder(run).status()
        assert status.state == "done" and status.total_steps is None and status.step > 5 and status.elapsed_s >= 1.8

    def test_a_warm_up_that_is_over_does_not_come_back(self, text: Path, run: Path) -> None:
        """12 steps, half of them causal: with 40, step 13 would lie in the first half again."""
        start_run(tiny_run(text, steps=12), run, resume=False)
        start_run(tiny_run(text, steps=40), run, resume=True)
        assert phases(run) == {"causal": 1, "masked": 7, "longer": 10}
        assert {line["phase"] for line in metrics(run) if line["step"] > 6} == {"masked"}
        assert config(run)["training"]["causal_share"] <= 12 / 40

    def test_a_warm_up_under_way_grows_with_the_budget(self, text: Path, run: Path) -> None:
        start_run(tiny_run(text, steps=12), run, resume=False, on_event=stop_at(run, 3))
        start_run(tiny_run(text, steps=20), run, resume=True)
        assert phases(run) == {"causal": 1, "masked": 11, "longer": 16}

    def test_the_same_budget_changes_nothing(self, text: Path, run: Path) -> None:
        start_run(tiny_run(text, steps=4), run, resume=False)
        before = (run / "config.json").read_bytes()
        start_run(tiny_run(text, steps=4), run, resume=True)
        assert (run / "config.json").read_bytes() == before
        assert "changed on resume" not in (run / "log.txt").read_text()


class TestOtherSettings:
    def test_what_changes_no_number_is_taken(self, text: Path, tmp_path: Path) -> None:
        run, undisturbed = tmp_path / "run", tmp_path / "undisturbed"
        start_run(tiny_run(text, steps=12), undisturbed, resume=False)
        start_run(tiny_run(text, steps=12), run, resume=False, on_event=stop_at(run, 6))
        start_run(tiny_run(text, steps=12, save_minutes=0.5, snapshots_mib=100), run, resume=True)
        assert losses(run) == losses(undisturbed)
        assert config(run)["training"]["snapshots_mib"] == 100

    @pytest.mark.parametrize(
        ("changed", "says"),
        [
            ({"batch_size": 9}, "batch size 8, not 9"),
            ({"seed": 5}, "seed 0, not 5"),
            ({"learning_rate": 1e-4}, "learning rate"),
            ({"causal_share": 0.1}, "causal share"),
            ({"evaluations": 9, "steps": 30}, "evaluations"),
        ],
    )
    def test_any_other_is_refused_and_nothing_is_touched(
        self, text: Path, run: Path, changed: dict[str, Any], says: str
    ) -> None:
        start_run(tiny_run(text, steps=12), run, resume=False, on_event=stop_at(run, 3))
        before = {file: file.read_bytes() for file in run.rglob("*") if file.is_file()}
        with pytest.raises(BertcoreError, match=f"its own settings: .*{says}"):
            start_run(tiny_run(text, **{"steps": 12, **changed}), run, resume=True)
        assert {file: file.read_bytes() for file in run.rglob("*") if file.is_file()} == before

    def test_another_text_or_model_is_refused(self, text: Path, tmp_path: Path, run: Path) -> None:
        start_run(tiny_run(text, steps=2), run, resume=False)
        for other in (
            tiny_run(tmp_path / "other.txt", steps=2),
            replace(tiny_run(text, steps=2), preset="mini"),
            replace(tiny_run(text, steps=2), model={**tiny_run(text).model, "hidden_size": 16}),
            replace(tiny_run(text, steps=2), name="other"),
        ):
            with pytest.raises(BertcoreError, match="its own settings"):
                start_run(other, run, resume=True)

    def test_a_run_that_another_process_trains_is_left_alone(self, text: Path, run: Path) -> None:
        start_run(tiny_run(text, steps=4), run, resume=False)
        before = (run / "config.json").read_bytes()
        with RunFolder(run).acquire(), pytest.raises(BertcoreError, match="Another process"):
            start_run(tiny_run(text, steps=8), run, resume=True)
        assert (run / "config.json").read_bytes() == before


class TestRecipes:
    def test_a_recipe_takes_the_place_of_what_it_names(self, text: Path) -> None:
        stored = tiny_run(text, steps=12, seed=4).to_dict()
        values = overlay(stored, {"training": {"minutes": 2}, "data": {"vocab_size": 99}})
        assert (values["training"]["minutes"], values["training"]["steps"], values["training"]["seed"]) == (2, None, 4)
        assert values["data"] == {**stored["data"], "vocab_size": 99}
        assert PretrainOptions.from_dict(values).budget == (None, 120.0)

    def test_one_that_names_no_budget_leaves_it(self, text: Path) -> None:
        assert overlay(tiny_run(text, steps=12).to_dict(), {"training": {"seed": 1}})["training"]["steps"] == 12


class TestPaths:
    """A run is resumed from any folder: what its settings name is found all the same."""

    def test_those_of_a_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        elsewhere = tmp_path / "elsewhere"
        for name in ("model", "train.tsv", "dev.tsv", "elsewhere"):
            (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path)
        data = TaskDataOptions(train="train.tsv", dev="dev.tsv")
        options, run = FinetuneOptions(model="model", data=data), tmp_path / "run"
        monkeypatch.setattr(FineTuning, "refuse", lambda given: None)
        made = open_or_create(options, run, False)
        there = {"train": str(tmp_path / "train.tsv"), "dev": str(tmp_path / "dev.tsv")}
        assert made.model == config(run)["model"] == str(tmp_path / "model")
        assert {name: config(run)["data"][name] for name in there} == there
        resumed = open_or_create(options, run, True)
        assert resumed == made, "they are the same settings"
        monkeypatch.chdir(elsewhere)
        assert open_or_create(None, run, True) == made

    def test_those_of_an_older_run(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "model").mkdir()
        monkeypatch.chdir(tmp_path)
        options = FinetuneOptions(model="model")
        run = RunFolder.create(tmp_path / "run", options.to_dict())
        assert resume_settings(run, options.with_absolute_paths(), options.with_absolute_paths()).model
        resumed = open_or_create(options, run.path, True)
        assert resumed.model == str(tmp_path / "model")

    def test_those_of_a_sweep(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "words.txt").write_text("A text.")
        monkeypatch.chdir(tmp_path)
        planned: list[PlannedRun] = []
        monkeypatch.setattr(
            "bertcore.training.start._SweepLoop", lambda runs, *_, **__: planned.extend(runs) or MagicMock()
        )
        data = DataOptions(corpus=("words.txt",), questions="words.txt", tokenizer="a/hub-id")
        run_sweep(PretrainOptions(data=data), tmp_path / "run", Varied(seeds=2))
        file = str(tmp_path / "words.txt")
        for each in planned:
            assert isinstance(each.options, PretrainOptions)
            data = each.options.data
            assert (data.corpus, data.questions, data.tokenizer) == ((file,), file, "a/hub-id")
        assert len(planned) == 2

    def test_a_name_that_ships_stays_a_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / TINY).mkdir()
        monkeypatch.chdir(tmp_path)
        for model, expected in ((TINY, TINY), (f"./{TINY}", str(tmp_path / TINY)), (None, None)):
            assert FinetuneOptions(model=model).with_absolute_paths().model == expected
        assert DistilOptions().with_absolute_paths() == DistilOptions(), "the built-in teacher is no folder here"
