"""What stands on what: no circles between files or packages, imports for types included, and the engine's order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.test_rules import ROOT, imports_of

# Each imports only what stands before it.
ENGINE = (
    *("errors", "garbage", "progress", "locations", "files", "settings", "families", "config", "tag_schemes"),
    *("tokenizer", "model", "checkpoint", "data", "tasks", "runs", "resolve", "training", "analysis", "evaluation"),
    *("results", "loaded_model", "__init__", "cli", "__main__"),
)
Graph = Mapping[str, set[str]]  # module or package -> what it imports


def modules(folder: str) -> Graph:
    """Every file below a folder and the files that it imports, by dotted names."""
    files = {_name(file): file for file in sorted((ROOT / folder).rglob("*.py"))}
    found = {name: {item.module for item in imports_of(file.relative_to(ROOT))} for name, file in files.items()}
    return {
        name: {module for module in imported if module in files and module != name} for name, imported in found.items()
    }


def _name(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def packages(graph: Graph) -> Graph:
    """The same of folders; a file beside the packages, such as bertcore/config.py, stands for itself."""
    found: dict[str, set[str]] = {}
    for module, imported in graph.items():
        own = _package(module)
        found.setdefault(own, set()).update(_package(each) for each in imported if _package(each) != own)
    return found


def _package(module: str) -> str:
    parts = module.split(".")
    is_folder = (ROOT / Path(*parts)).is_dir()
    return module if is_folder or len(parts) == 2 else ".".join(parts[:-1])


def layers(graph: Graph) -> list[list[str]]:
    """What stands on nothing, what stands on that alone, and so on. Raises CycleError with a circle."""
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    found = []
    while sorter.is_active():
        found.append(sorted(sorter.get_ready()))
        sorter.done(*found[-1])
    return found


def test_a_circle_is_found_and_layers_are_told() -> None:
    assert layers({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == [["c"], ["b"], ["a"]]
    with pytest.raises(CycleError):
        layers({"a": {"b"}, "b": {"c"}, "c": {"a"}})


@pytest.mark.parametrize("folder", ["bertcore"])
@pytest.mark.parametrize("kind", ["files", "packages"])
def test_no_circles(folder: str, kind: str) -> None:
    """`pytest -s` prints the layers."""
    graph = modules(folder) if kind == "files" else packages(modules(folder))
    assert len(graph) > 5
    for number, names in enumerate(layers(graph)):
        print(number, *names)


def test_the_engine_stands_in_its_order() -> None:
    def part(module: str) -> str:
        return [*module.split("."), "__init__"][1]

    def below(parts: Iterable[str], own: str) -> bool:
        return all(each == own or ENGINE.index(each) < ENGINE.index(own) for each in parts)

    graph = modules("bertcore")
    assert {part(module) for module in graph} == set(ENGINE)
    wrong = {module: imported for module, imported in graph.items() if not below(map(part, imported), part(module))}
    assert wrong == {}
