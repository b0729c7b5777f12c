"""What the window remembers between starts: a small versioned JSON file of what differs from the default."""

import contextlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path

from bertcore.files import read_bytes, reason_of, write_atomic
from bertcore.json_text import parse_json

from ..look import mark, say
from ..look.language import LANGUAGES, SYSTEM

FORMAT_VERSION = 1
MOST_RECENT = 8
MOST_BYTES = 1 << 20
MOST_IN_PATH = 4_096  # characters
THEMES, WORDS = ("system", "light", "dark", "contrast"), ("plain", "technical")


@dataclass
class Settings:
    """The person's choices. Write them with `save`."""

    theme: str = "system"  # or another of THEMES
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
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            values = {"format_version": FORMAT_VERSION, **changed}
            write_atomic(file, json.dumps(values, indent=2).encode(), follow=True)


def load_settings(file: Path, tell: Callable[[str], object] = lambda _sentence: None) -> Settings:
    """The settings in `file`; the defaults where there is none.

    One that cannot be read is renamed, so that it is not lost when settings are saved, and `tell` gets a sentence.
    """
    try:
        return _read(file)
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        why = reason_of(error)
    except ValueError as error:
        why = str(error)
    names = (file.with_name(f"{file.stem}.unreadable{number or ''}{file.suffix}") for number in count())
    kept = next(name for name in names if not name.exists() and not name.is_symlink())
    sentence = mark("The settings could not be read, so the defaults are used: {why}. The file is kept as {kept}.")
    try:
        file.rename(kept)
    except OSError:
        sentence = mark("The settings in {file} cannot be read, so the defaults are used: {why}.")
    tell(say(sentence, file=file, why=why, kept=kept))
    return Settings()


def _read(file: Path) -> Settings:
    """Raises OSError, or ValueError with a reason."""
    try:
        values = parse_json(read_bytes(file, MOST_BYTES).decode("utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise ValueError(say("they are not JSON")) from None
    if not isinstance(values, dict):
        raise ValueError(say("they are not a JSON object"))
    if values.get("format_version") != FORMAT_VERSION:
        raise ValueError(say("they were written by another version of BERTscope"))
    settings, choices = Settings(), {"theme": THEMES, "words": WORDS, "language": LANGUAGES}
    for name, default in vars(Settings()).items():
        value = values.get(name)
        if type(value) is type(default) and (name not in choices or value in choices[name]):
            setattr(settings, name, value)
    recent = [known for known in settings.recent_models if isinstance(known, str) and len(known) <= MOST_IN_PATH]
    settings.recent_models = recent[:MOST_RECENT]
    return settings
