"""What papers say, from assets/family.json and assets/published.json: the models of the family, and their results. No
Qt, no torch. Its texts are translated where they are shown, with `say`."""

from dataclasses import dataclass
from functools import cache
from itertools import chain
from statistics import mean
from typing import Any

from bertcore.checkpoint.config_file import read_config
from bertcore.config import BertConfig, count_parameters
from bertcore.files import read_json
from bertcore.locations import SHIPPED, assets, shipped_checkpoint
from bertcore.resolve_model import UNTRAINED


@dataclass(frozen=True)
class FamilyMember:
    """One model of the family. Its numbers follow from its config."""

    title: str
    year: int
    differs: str
    source: str
    name: str = ""  # of bertcore.config.PUBLISHED, or a model that ships; empty: what came before BERT
    why: str = ""
    claim: str = ""  # what its paper says of size and speed

    @property
    def ships(self) -> bool:
        """Whether it opens trained; else as a shape with random weights."""
        return self.name in SHIPPED

    @property
    def config(self) -> BertConfig:
        return read_config(shipped_checkpoint(self.name)) if self.ships else BertConfig.preset(self.name)

    @property
    def parameters(self) -> int:
        return count_parameters(self.config)

    @property
    def reference(self) -> str:
        """By which it is opened."""
        return self.name if self.ships else UNTRAINED + self.name


@cache
def family() -> tuple[FamilyMember, ...]:
    return tuple(FamilyMember(**each) for each in read_json(assets() / "family.json", kind=list))


@dataclass(frozen=True)
class PublishedTask:
    key: str  # of bertcore's TASKS
    title: str
    measure: str  # of the scores
    examples: int = 0  # in its training set; 0: not said in these papers


@dataclass(frozen=True)
class PublishedResult:
    """The scores of one model in one paper, in percent; of MNLI perhaps two: matched and mismatched."""

    model: str
    set: str  # that it was measured on: "test", "development"
    scores: dict[str, list[float]]
    source: str
    size: str = ""  # of bertcore.config.PRESETS; empty: of another shape
    average: float | None = None  # as the paper gives it

    @property
    def parameters(self) -> int | None:
        return count_parameters(BertConfig.preset(self.size)) if self.size else None

    @property
    def mean(self) -> float:
        """Of all its scores; MNLI's two count as two, as in the paper."""
        return mean(chain(*self.scores.values()))


@cache
def _published() -> dict[str, list[dict[str, Any]]]:
    return dict(read_json(assets() / "published.json"))


def published_tasks() -> list[PublishedTask]:
    return [PublishedTask(**each) for each in _published()["tasks"]]


def published_results() -> list[PublishedResult]:
    return [PublishedResult(**each) for each in _published()["results"]]


def before_bert() -> list[FamilyMember]:
    return [FamilyMember(**each) for each in _published()["before"]]
