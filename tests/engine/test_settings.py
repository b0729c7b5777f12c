"""What every kind of recipe refuses: numbers out of range, what is no number, text or switch, and typos."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from bertcore.cli.arguments import with_flags_of
from bertcore.errors import BertcoreError
from bertcore.settings import settings_of
from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions

LEFT_OUT = {"corpus", "mixture", "columns", "model"}  # no single word or number
KINDS: list[Any] = [PretrainOptions, FinetuneOptions, DistilOptions]


@pytest.mark.parametrize("kind", KINDS)
class TestEveryKind:
    @pytest.mark.parametrize("value", [-1, 0.5, True, "8", [8], None, float("nan"), 10**400])
    def test_a_batch_size_that_is_none(self, kind: Any, value: object) -> None:
        with pytest.raises(BertcoreError, match="batch size must be a whole number between 1 and 65,536"):
            options = kind.from_dict({"training": {"batch_size": value}})
            getattr(options, "as_pretraining", lambda _: options)(PretrainOptions().model_config(300))

    @pytest.mark.parametrize("part", ["data", "training"])
    @pytest.mark.parametrize("value", ["abc", 3, None, [1]])
    def test_a_part_that_is_no_table(self, kind: Any, part: str, value: object) -> None:
        with pytest.raises(BertcoreError, match=f"The part {part} of a recipe must be a table"):
            kind.from_dict({part: value})

    @pytest.mark.parametrize("where", ["the recipe", "data", "training"])
    def test_a_typo_is_named(self, kind: Any, where: str) -> None:
        typo = {"learning_raet": 1e-3}
        with pytest.raises(BertcoreError, match=f"no setting named learning_raet in {where}"):
            kind.from_dict(typo if where == "the recipe" else {where: typo})

    @pytest.mark.parametrize(("text", "words"), [("{", "is not valid JSON"), ("[1]", "does not hold a JSON object")])
    def test_a_file_that_is_no_recipe(self, kind: Any, text: str, words: str, tmp_path: Path) -> None:
        file = tmp_path / "recipe.json"
        file.write_text(text)
        with pytest.raises(BertcoreError, match=words):
            kind.from_file(file)
        with pytest.raises(BertcoreError, match="cannot be read"):
            kind.from_file(tmp_path / "absent.json")

    def test_what_is_saved_reads_back(self, kind: Any) -> None:
        options = kind()
        assert kind.from_dict(json.loads(json.dumps(options.to_dict()))) == options


@pytest.mark.parametrize("kind", KINDS)
class TestEverySetting:
    def test_it_says_what_it_is_and_its_default_is_allowed(self, kind: Any) -> None:
        settings = settings_of(kind)
        assert {each.section for each in settings} == {"", "data", "training"}
        assert len({each.name for each in settings}) == len(settings)  # a flag has no section
        for each in settings:
            assert each.help and not each.help.endswith("."), each.name
            each.check(each.default)

    def test_it_has_a_flag(self, kind: Any) -> None:
        given: dict[str, Any] = {}

        @with_flags_of(kind, leave_out=LEFT_OUT)
        def command(*, flags: dict[str, Any]) -> None:
            given.update(flags)

        app = typer.Typer()
        app.command()(command)
        assert CliRunner().invoke(app, ["--batch-size", "8", "--precision", "fp32"]).exit_code == 0
        names = {each.name for each in settings_of(kind)} - LEFT_OUT
        assert set(given) == names and (given.pop("batch_size"), given.pop("precision")) == (8, "fp32")
        assert set(given.values()) == {None}


def test_settings_that_went_are_still_read() -> None:
    training = {"shard": True, "log_every": 5, "causal_masked_every": 8, "steps": 7}
    assert PretrainOptions.from_dict({"training": training}).training.steps == 7
    with pytest.raises(BertcoreError, match="no setting named causal_masked_every"):
        PretrainOptions.from_dict({"training": {"causal_masked_every": 4}})


def test_a_budget_takes_the_place_of_another() -> None:
    options = FinetuneOptions.from_dict({"training": {"epochs": 2}}).with_changes(steps=5, batch_size=4, task="mrpc")
    assert (options.training.epochs, options.training.steps, options.training.batch_size) == (None, 5, 4)
    assert options.data.task == "mrpc"
    with pytest.raises(BertcoreError, match="one budget"):
        options.with_changes(steps=5, minutes=1.0)


@pytest.mark.parametrize("corpus", ["stories.txt", [1], {"a": 1}])
@pytest.mark.parametrize("kind", [PretrainOptions, DistilOptions])
def test_a_corpus_is_a_list_of_names(kind: Any, corpus: object) -> None:
    with pytest.raises(BertcoreError, match="corpus of a recipe must be a list"):
        kind.from_dict({"data": {"corpus": corpus}})


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        ({"crf": "no"}, "The crf must be true or false, not 'no'"),
        ({"training": {"gradual_unfreezing": 1}}, "gradual unfreezing must be true or false"),
        ({"data": {"train": 5}}, "The train must be text, not 5"),
        ({"model": ["a"]}, "The model must be text"),
        ({"data": {"columns": "text"}}, "The part columns of a recipe must be a table"),
        ({"training": {"schedule": "cosine"}}, "There is no schedule 'cosine'"),
        ({"training": {"dropout": 1.0}}, "dropout must be between 0 and 0.95, not 1.0"),
        ({"training": {"steps": 5, "minutes": 1}}, "Give one budget"),
        ({"training": {"layer_decay": 2.0}}, "layer decay must be between"),
        ({"training": {"seed": True}}, "seed must be a whole number"),
    ],
)
def test_fine_tuning(recipe: dict[str, Any], words: str) -> None:
    with pytest.raises(BertcoreError, match=words):
        FinetuneOptions.from_dict(recipe)


@pytest.mark.parametrize("name", ["temperature", "soft_weight", "mlm_weight", "cosine_weight"])
def test_distillation(name: str) -> None:
    with pytest.raises(BertcoreError, match=f"The {name.replace('_', ' ')} must be between"):
        DistilOptions.from_dict({name: -1})


def test_numbers_that_may_be_left_open() -> None:
    options = FinetuneOptions.from_dict(
        {"training": {"learning_rate": None, "epochs": 2}, "data": {"max_examples": None}}
    )
    assert options.training.learning_rate is None and options.training.epochs == 2
