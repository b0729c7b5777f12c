"""What is inside: the packages that BERTscope needs, with their licences, from their metadata."""

import re
from importlib.metadata import Distribution
from pathlib import Path

from bertcore.files import read_bytes
from bertcore.runs.environment import BERTSCOPE, installed_package

_NAME = re.compile(r"[\w.-]+")
_LICENCE_FILE = re.compile(r"(?:licen[cs]e|copying|notice)[^/]*$", re.IGNORECASE)
_MOST_BYTES = 1 << 20
_LONGEST_LICENCE = 100  # some packages put the whole text where its name belongs


def packages() -> list[Distribution]:
    """BERTscope first, then what it needs and what that needs, by name; no extras. Takes a third of a second."""
    found: dict[str, Distribution] = {}
    names = [BERTSCOPE]
    while names:
        name = names.pop()
        key = re.sub(r"[-_.]+", "-", name).lower()
        package = None if key in found else installed_package(name)
        if package is not None:  # many are needed on some systems only
            found[key] = package
            needed = (one for one in package.requires or () if "extra ==" not in one)
            names += [match[0] for requirement in needed if (match := _NAME.match(requirement))]
    return sorted(found.values(), key=lambda package: (package.name != BERTSCOPE, package.name.lower()))


def licence_of(package: Distribution) -> str:
    """As its metadata name it: an SPDX expression where there is one; "" where they say nothing."""
    metadata = package.metadata.json
    if expression := metadata.get("license_expression"):
        return str(expression)
    classes = [each.rpartition(" :: ")[2] for each in metadata.get("classifier", ()) if each.startswith("License ::")]
    named = str(metadata.get("license", "")).strip()
    return ", ".join(classes) or ("" if "\n" in named or len(named) > _LONGEST_LICENCE else named)


def home_page_of(package: Distribution) -> str:
    metadata = package.metadata.json
    pages = dict(str(page).split(", ", 1) for page in metadata.get("project_url", ()) if ", " in page)
    by_likeness = sorted(pages, key=lambda title: title.lower() not in ("homepage", "home", "source", "repository"))
    return str(metadata.get("home_page") or "") or (pages[by_likeness[0]] if by_likeness else "")


def licence_text(package: Distribution) -> str:
    """All licence files that it brings, one after the other; "" where it brings none."""
    files = [file for file in package.files or () if ".dist-info" in file.parts[0]]
    paths = [Path(str(file.locate())) for file in files if _LICENCE_FILE.search(file.as_posix())]
    return "\n\n".join(text_of(path) for path in paths if path.is_file())


def text_of(file: Path) -> str:
    """Of a licence or model card; "" where there is none."""
    return read_bytes(file, _MOST_BYTES).decode("utf-8", "replace").strip() if file.is_file() else ""
