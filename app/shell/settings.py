"""What the window remembers between starts: a small versioned JSON file of what differs from the default."""

import contextlib
import json
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from ..look.language import LANGUAGES, SYSTEM

FORMAT_VERSION = 1
MOST_RECENT = 8


@dataclass
class Settings:
    """The person's choices. Write them with `save`."""

    theme: str = "system"  # or "light", "dark", "contrast"
    language: str = SYSTEM  # or a code of look.language.LANGUAGES
    words: str = "plain"  # or "technical": nats and ln p
    projector: bool = False  # everything 1.5 times as large
    tour_offered: bool = False  # at the first start
    recent_models: list[str] = field(default_factory=list)  # references, newest first

    def remember_model(self, reference: str) -> None:
        self.recent_models = [reference, *(known for known in self.recent_models if known != reference)][:MOST_RECENT]

    def save(self, file: Path) -> None:
        """Written aside and moved into place. A folder that cannot be written to costs the memory, not the program."""
        defaults = asdict(Settings())
        changed = {name: value for name, value in asdict(self).items() if value != defaults[name]}
        aside = file.with_suffix(".tmp")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            aside.write_text(json.dumps({"format_version": FORMAT_VERSION, **changed}, indent=2), encoding="utf-8")
            os.replace(aside, file)
        except OSError:
            with contextlib.suppress(OSError):
                aside.unlink(missing_ok=True)


def load_settings(file: Path) -> Settings:
    """The settings in `file`; the defaults where it is missing, unreadable or from another version."""
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Settings()
    if not isinstance(values, dict) or values.get("format_version") != FORMAT_VERSION:
        return Settings()
    settings = Settings()
    for item in fields(Settings):
        value = values.get(item.name)
        if type(value) is type(getattr(settings, item.name)):
            setattr(settings, item.name, value)
    if settings.theme not in ("system", "light", "dark", "contrast"):
        settings.theme = "system"
    if settings.words not in ("plain", "technical"):
        settings.words = "plain"
    if settings.language not in LANGUAGES:
        settings.language = SYSTEM
    settings.recent_models = [reference for reference in settings.recent_models if isinstance(reference, str)]
    return settings
