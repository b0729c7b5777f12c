"""The layers of docs/architecture.md: each imports only what stands below it, and no two files import each other.

Imports under TYPE_CHECKING, inside functions and by name (views and rooms that are loaded later) count too: they are
knowledge of one another all the same.
`pytest -s tests/test_layers.py` prints the layers.
"""

from graphlib import CycleError, TopologicalSorter

import pytest

from tests.test_rules import ROOT, imports, imports_of

# From the bottom up. Those of one layer do not import each other.
LAYERS = (
    ("bertcore.errors", "bertcore.memory", "bertcore.progress", "bertcore.limits"),
    ("bertcore.json_text",),
    ("bertcore.files", "bertcore.tag_schemes", "bertcore.trial"),
    ("bertcore.settings", "bertcore.config", "bertcore.locations", "bertcore.table", "bertcore.student_code"),
    ("bertcore.tokenizer",),
    ("bertcore.model",),
    ("bertcore.checkpoint",),
    ("bertcore.data",),
    ("bertcore.tasks",),
    ("bertcore.runs",),
    ("bertcore.resolve_model",),
    ("bertcore.training",),
    ("bertcore.analysis",),
    ("bertcore.evaluation", "bertcore.exercises"),
    ("bertcore.evidence",),
    ("bertcore.results",),
    ("bertcore.comparing",),
    ("bertcore.loaded_model",),
    ("bertcore.training_api",),
    ("bertcore",),
    ("bertcore.cli",),
    ("bertcore.__main__",),
    ("app.look",),
    ("app.state",),
    ("app.compute", "app.figures", "app.runs"),
    ("app.widgets",),
    ("app.rooms.view",),
    ("app.rooms.pictures",),
    ("app.rooms.room", "app.rooms.values_view"),
    ("app.rooms.two_texts", "app.rooms.direction"),
    tuple(
        f"app.rooms.{room}"
        for room in ("map", "embed", "attend", "predict", "layers", "train", "apply", "evidence", "film", "game")
    ),
    ("app.rooms",),
    ("app.lessons",),
    ("app.shell",),
    ("app",),
)


def import_graph():
    """Module -> the modules of ours that it imports."""
    files = [file.relative_to(ROOT) for folder in ("bertcore", "app") for file in (ROOT / folder).rglob("*.py")]
    names = {".".join(file.with_suffix("").parts).removesuffix(".__init__"): file for file in files}
    return {name: modules_of(imports_of(file), set(names)) - {name} for name, file in names.items()}


def modules_of(imports, names):
    """Those of `names` that are imported; `from package import module` is an import of the module alone."""
    found = set()
    for module in {item.module for item in imports} & names:
        lines = {item.line for item in imports if item.module == module}
        parts = [item.module for item in imports if item.line in lines and item.module.rpartition(".")[0] == module]
        if not parts or not names.issuperset(parts):
            found.add(module)
    return found


def layer_of(module):
    """Its place from the bottom, and the package there: the longest name that fits."""
    places = [(len(package), level, package) for level, layer in enumerate(LAYERS) for package in layer]
    fits = [place for place in places if f"{module}.".startswith(f"{place[2]}.")]
    assert fits, f"{module} is in no layer; add its package to LAYERS in tests/test_layers.py"
    _, level, package = max(fits)
    return level, package


def check_for_circles(graph):
    """Raises CycleError with a circle."""
    TopologicalSorter(graph).prepare()


def upward_imports(graph):
    """What stands against the order of LAYERS."""
    for module, imported in sorted(graph.items()):
        level, package = layer_of(module)
        for other in sorted(imported):
            other_level, other_package = layer_of(other)
            if package != other_package and other_level >= level:
                yield f"{module} imports {other}"


def drawing(graph):
    """The layers from the top down, each package with what it imports."""
    uses = {package: set() for layer in LAYERS for package in layer}
    for module, imported in graph.items():
        uses[layer_of(module)[1]] |= {layer_of(other)[1] for other in imported}
    rows = [
        (level, package, sorted(uses[package] - {package})) for level, layer in enumerate(LAYERS) for package in layer
    ]
    return "\n".join(f"{level:2}  {package:22} {' '.join(used)}" for level, package, used in reversed(rows))


def test_circles_and_upward_imports_are_found():
    check_for_circles({"a": {"b", "c"}, "b": {"c"}, "c": set()})
    with pytest.raises(CycleError):
        check_for_circles({"a": {"b"}, "b": {"c"}, "c": {"a"}})
    graph = {"bertcore.model.bert": {"bertcore.config"}, "bertcore.config": {"bertcore.training.loop"}}
    assert list(upward_imports(graph)) == ["bertcore.config imports bertcore.training.loop"]


def test_a_package_is_imported_where_a_name_of_its_own_is():
    names = {"a", "a.b", "a.c"}
    assert modules_of(imports("from a import b, c", "x"), names) == {"a.b", "a.c"}
    assert modules_of(imports("from a import load\nfrom a import b", "x"), names) == {"a", "a.b"}
    assert modules_of(imports("import a\nfrom a.b import c", "x"), names) == {"a", "a.b"}


def test_no_files_import_each_other_in_a_circle():
    graph = import_graph()
    assert len(graph) > 100
    check_for_circles(graph)


def test_each_layer_imports_only_what_stands_below_it():
    graph = import_graph()
    print(drawing(graph))
    assert list(upward_imports(graph)) == []
