"""What is inside: the packages that BERTscope needs, with their licences, from their metadata."""

from __future__ import annotations

import re
import sys
import sysconfig
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import Distribution
from pathlib import Path

from bertcore.files import read_bytes
from bertcore.runs.environment import BERTSCOPE, installed_package

_NAME = re.compile(r"[\w.-]+")
_LICENCE_FILE = re.compile(r"(?:licen[cs]e|copying|notice)[^/]*$", re.IGNORECASE)
_MOST_BYTES = 1 << 20
_LONGEST_LICENCE = 100  # some packages put the whole text where its name belongs


@dataclass(frozen=True)
class Package:
    """One installed package."""

    name: str
    version: str
    licence: str  # as its metadata name it: an SPDX expression where there is one; "" where they say nothing
    about: str  # one line
    home_page: str
    _distribution: Distribution

    @cached_property
    def licence_text(self) -> str:
        """All licence files that it brings, one after the other; "" where it brings none."""
        files = [file for file in self._distribution.files or () if ".dist-info" in file.parts[0]]
        paths = [Path(str(file.locate())) for file in files if _LICENCE_FILE.search(file.as_posix())]
        return "\n\n".join(text_of(path) for path in paths if path.is_file())


def packages() -> list[Package]:
    """BERTscope first, then what it needs and what that needs, by name; no extras. Takes a third of a second."""
    found: dict[str, Package] = {}
    _gather(BERTSCOPE, found)
    own = found.pop(BERTSCOPE, None)
    others = sorted(found.values(), key=lambda package: package.name.lower())
    return others if own is None else [own, *others]


def text_of(file: Path) -> str:
    """Of a licence or model card."""
    return read_bytes(file, _MOST_BYTES).decode("utf-8", "replace").strip()


def card_licence(card: Path) -> str:
    """What the model card of a checkpoint says at its top; "" where there is none."""
    found = re.search(r"(?m)^license: (\S+)$", text_of(card) if card.is_file() else "")
    return found[1] if found else ""


def python_licence() -> Path:
    """Where Python puts it; some systems take it elsewhere."""
    return Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"


def bundled_licences() -> list[Path]:
    """Of what is no Python package but came along, in the folder that runs without Python (`make bundle`)."""
    return sorted((Path(sys.prefix) / "share" / BERTSCOPE / "licences").glob("*.txt"))


def _gather(name: str, found: dict[str, Package]) -> None:
    """Adds the package and what it needs, if it is there: many are needed on some systems only."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key in found:
        return
    there = installed_package(name)
    if there is None:
        return
    found[key] = _package(there)
    for requirement in there.requires or ():
        if "extra ==" not in requirement and (match := _NAME.match(requirement)):
            _gather(match[0], found)


def _package(there: Distribution) -> Package:
    metadata = there.metadata.json
    pages = dict(str(page).split(", ", 1) for page in metadata.get("project_url", ()) if ", " in page)
    by_likeness = sorted(pages, key=lambda title: title.lower() not in ("homepage", "home", "source", "repository"))
    home_page = str(metadata.get("home_page") or "") or (pages[by_likeness[0]] if by_likeness else "")
    return Package(
        name=str(metadata["name"]),
        version=there.version,
        licence=_licence(there),
        about=str(metadata.get("summary", "")),
        home_page=home_page,
        _distribution=there,
    )


def _licence(there: Distribution) -> str:
    metadata = there.metadata.json
    if expression := metadata.get("license_expression"):
        return str(expression)
    classes = [each.rpartition(" :: ")[2] for each in metadata.get("classifier", ()) if each.startswith("License ::")]
    named = str(metadata.get("license", "")).strip()
    return ", ".join(classes) or ("" if "\n" in named or len(named) > _LONGEST_LICENCE else named)
