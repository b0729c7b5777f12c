"""The `bertcore` command that starts a run, as data. No torch."""

from dataclasses import dataclass
from pathlib import Path

from bertcore.training.distil_options import DistilOptions
from bertcore.training.finetune_options import FinetuneOptions
from bertcore.training.pretrain_options import PretrainOptions

Options = PretrainOptions | FinetuneOptions | DistilOptions


@dataclass(frozen=True)
class RunCommand:
    """A run to start; `flags` say what a recipe cannot, such as `--from` with the checkpoint to continue from."""

    options: Options
    flags: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """ "pretrain", "finetune" or "distil": the command, and the kind in the run's config.json."""
        return str(self.options.to_dict()["kind"])

    def arguments(self, recipe: Path) -> list[str]:
        """What follows `bertcore` on the command line; `recipe` is the file with the options."""
        return [self.kind, "--recipe", str(recipe), *self.flags]
