"""What papers say, from assets/family.json and assets/published.json: the models of the family, and their results. No
Qt, no torch. Its texts are translated where they are shown, with `say`."""

from dataclasses import dataclass
from functools import cache

from bertcore.checkpoint.config_file import read_config
from bertcore.config import BertConfig
from bertcore.files import read_json
from bertcore.locations import SHIPPED, assets, shipped_checkpoint
from bertcore.resolve_model import UNTRAINED


@dataclass(frozen=True)
class FamilyMember:
    """One model of the family. Its numbers follow from its config."""

    name: str  # of bertcore.config.PUBLISHED, or a model that ships
    title: str
    year: int
    differs: str
    why: str
    source: str
    claim: str = ""  # what its paper says of size and speed

    @property
    def ships(self) -> bool:
        """Whether it opens trained; else as a shape with random weights."""
        return self.name in SHIPPED

    @property
    def config(self) -> BertConfig:
        return read_config(shipped_checkpoint(self.name)) if self.ships else BertConfig.preset(self.name)

    @property
    def reference(self) -> str:
        """By which it is opened."""
        return self.name if self.ships else UNTRAINED + self.name


@cache
def family() -> tuple[FamilyMember, ...]:
    return tuple(FamilyMember(**each) for each in read_json(assets() / "family.json", kind=list))
