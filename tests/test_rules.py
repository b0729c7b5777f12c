"""The rules of docs/architecture.md, read from the source itself: breaking one fails here."""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import PySide6
import pytest
from PySide6.QtCore import QObject, Signal

ROOT = Path(__file__).resolve().parent.parent
QT = ("PySide6", "shiboken6", "pyqtgraph")
EMISSIONS = 300  # far enough to tell, short of ending the process

# Built from parts, so that this file does not name them.
REGISTRY_HOST = re.compile(
    rb"pypi[.]org|pythonhosted[.]org|download[.]pytorch[.]org|anaconda[.](?:org|com)|npmjs[.](?:org|com)"
    rb"|ghcr[.]io|deb[.]debian[.]org|archive[.]ubuntu[.]com"
)
MACHINE_PATH = re.compile(rb"(?<![\w.\-/])/(?:work|root|opt|home/[a-z]\w*|Users/[A-Za-z]\w*)/[\w.]")


class Import(NamedTuple):
    module: str  # full dotted name; `from a import b` gives both a and a.b
    line: int
    guard: str  # "" or the condition it stands under: "types" or "windows"
    is_late: bool = False  # in a function: not when the file itself is imported


GUARDS = {"TYPE_CHECKING": "types", "typing.TYPE_CHECKING": "types", "sys.platform == 'win32'": "windows"}


def imports(source, package):
    """Every import of a file, inside functions and by name too; `package` is the folder it is in, dotted."""
    return list(_walk(ast.parse(source), package, ""))


def _walk(node, package, guard):
    if isinstance(node, ast.Import):
        yield from (Import(alias.name, node.lineno, guard) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parents = package.split(".")
        base = parents[: len(parents) - node.level + 1] if node.level else []
        module = ".".join([*base, *([node.module] if node.module else [])])
        yield Import(module, node.lineno, guard)
        yield from (Import(f"{module}.{alias.name}", node.lineno, guard) for alias in node.names)
    elif isinstance(node, ast.If):
        for statement in node.body:
            yield from _walk(statement, package, guard or GUARDS.get(ast.unparse(node.test), ""))
        for statement in node.orelse:
            yield from _walk(statement, package, guard)
    else:
        if isinstance(node, ast.Call) and (module := _loaded(node, package)):
            yield Import(module, node.lineno, guard, is_late=True)
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            found = _walk(child, package, guard)
            yield from (item._replace(is_late=True) for item in found) if is_function else found


def _loaded(call, package):
    """The module that a view or a room is loaded from when it is first opened, given as a string."""
    function, *arguments = (ast.unparse(part) for part in (call.func, *call.args))
    if function == "later" and arguments[0] == "__package__":
        return f"{package}.{ast.literal_eval(arguments[1])}"
    if function == "RoomSpec":
        return f"app.rooms.{ast.literal_eval(arguments[0])}.room"
    return None


@functools.cache
def imports_of(file):
    """`file` relative to the project."""
    return imports((ROOT / file).read_text(encoding="utf-8"), ".".join(file.parent.parts))


@functools.cache
def parsed(folder):
    """The Python files below a folder of the project."""
    files = sorted((ROOT / folder).rglob("*.py"))
    return [(file.relative_to(ROOT).as_posix(), ast.parse(file.read_text(encoding="utf-8"))) for file in files]


def nodes(*folders):
    """All of these files: where it stands, the node, and the nodes around it, the innermost last."""
    for file, tree in (each for folder in folders for each in parsed(folder)):
        waiting = [(tree, ())]
        while waiting:
            node, inside = waiting.pop()
            yield f"{file}:{getattr(node, 'lineno', 0)}", node, inside
            waiting += [(child, (*inside, node)) for child in ast.iter_child_nodes(node)]


def files_with(is_meant):
    """The files of the program in which such a node stands."""
    return {place.partition(":")[0] for place, node, _ in nodes("bertcore", "app") if is_meant(node)}


def is_in(module, *packages):
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def breaches(folder, is_wrong):
    """The imports below `folder` that break a rule, as "file:line imports module"."""
    files = sorted(file.relative_to(ROOT) for file in (ROOT / folder).rglob("*.py"))
    assert files, f"no Python files in {folder}: the rule would check nothing"
    return [
        f"{file.as_posix()}:{item.line} imports {item.module}"
        for file in files
        for item in imports_of(file)
        if is_wrong(file, item)
    ]


def project_files():
    """What git tracks, or would with `git add`."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def test_the_scanner_sees_every_way_to_import():
    source = """
import a.b, c as d
def late():
    from e import f
class Inside:
    try:
        from . import g
    except ImportError:
        from ..h import i
if TYPE_CHECKING:
    import j
else:
    import k
views = (ViewSpec("l", later(__package__, "l", "L")), RoomSpec("m", "M"))
"""
    found = {item.module: item.guard for item in imports(source, "top.middle")}
    loaded = {"top.middle.l", "app.rooms.m.room"}
    unguarded = {"a.b", "c", "e", "e.f", "top.middle", "top.middle.g", "top.h", "top.h.i", "k", *loaded}
    assert found == dict.fromkeys(unguarded, "") | {"j": "types"}
    assert {item.module for item in imports(source, "top.middle") if item.is_late} == {"e", "e.f", *loaded}


def test_only_these_import_by_name():
    """Where another one does, the scanner has to learn of it: it sees `later` and the list of rooms.

    What `bertcore/trial.py` imports in another process is the module of a function it was given;
    `app/compute/preload.py` only asks where torch is.
    """
    by_name = re.compile(r"import_module|__import__|importlib\.util")
    files = (file for folder in ("bertcore", "app") for file in (ROOT / folder).rglob("*.py"))
    found = {file.relative_to(ROOT).as_posix() for file in files if by_name.search(file.read_text(encoding="utf-8"))}
    assert found == {
        "app/compute/preload.py",
        "app/rooms/view.py",
        "app/shell/rooms.py",
        "bertcore/__init__.py",
        "bertcore/table.py",
        "bertcore/trial.py",
    }


def test_the_engine_imports_neither_qt_nor_the_window():
    assert breaches("bertcore", lambda _, item: is_in(item.module, "app", *QT)) == []


def test_nothing_but_tests_and_benchmarks_imports_transformers():
    """And the command that compares with it, where it is called: `bertcore check`."""

    def is_wrong(file, item):
        is_allowed = file == Path("bertcore/cli/check_command.py") and item.is_late
        return is_in(item.module, "transformers") and not is_allowed

    assert [*breaches("bertcore", is_wrong), *breaches("app", is_wrong), *breaches("assets", is_wrong)] == []


def test_json_is_parsed_in_one_place():
    """With limits to size and depth, and without numbers that are not finite: `json_text.parse_json`."""
    harmless = ("dumps", "dump", "JSONDecodeError")

    def parses(node):
        if isinstance(node, ast.ImportFrom) and node.module == "json":
            return any(alias.name != "JSONDecodeError" for alias in node.names)
        return isinstance(node, ast.Attribute) and ast.unparse(node.value) == "json" and node.attr not in harmless

    assert files_with(parses) == {"bertcore/json_text.py"}


def test_the_shell_prints_in_one_place():
    """Through `say` and `print_answer`, beside the progress bar: a terminal obeys what a stranger's file holds."""
    prints = ("typer.echo", "print", "click.echo")
    found = files_with(lambda node: isinstance(node, ast.Call) and ast.unparse(node.func) in prints)
    assert {file for file in found if file.startswith("bertcore/cli/")} == {"bertcore/cli/output.py"}


SHIPPED_FILES = {  # readers of what is part of the program, or of the system
    "app/look/icons.py",
    "app/look/theme.py",
    "app/figures/animation.py",
    "app/rooms/game/game.py",
    "app/state/glossary.py",
    "app/lessons/lab_sheet.py",
    "app/lessons/shipped.py",
    "app/widgets/help_panel.py",
    "bertcore/table.py",
    "bertcore/runs/environment.py",
    "bertcore/checkpoint/weights.py",
}


def test_files_of_others_are_read_within_limits():
    """`files.read_bytes` takes regular files alone, up to a size; Path.read_text waits at a pipe without end."""

    def reads(node):
        is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        return is_method and node.func.attr in ("read_text", "read_bytes")

    assert files_with(reads) - SHIPPED_FILES == set()


@functools.cache
def bring_torch():
    """The modules that import torch when they are imported, themselves or through one another."""
    folders = ("bertcore", "app/compute")
    files = [file.relative_to(ROOT) for folder in folders for file in (ROOT / folder).rglob("*.py")]
    names = {file: ".".join(file.with_suffix("").parts).removesuffix(".__init__") for file in files}
    needs = {
        names[file]: {i.module for i in imports_of(file) if i.guard != "types" and not i.is_late} for file in files
    }
    found = {"torch"}
    while new := {name for name, needed in needs.items() if name not in found and any_in(needed, found)}:
        found |= new
    return frozenset(found)


def any_in(modules, found):
    """A module also imports the packages it lies in."""
    return any(is_in(module, *found) for module in modules)


@functools.cache
def of_the_window():
    """The modules of bertcore that the window imports on its own thread."""
    files = [file.relative_to(ROOT) for file in (ROOT / "app").rglob("*.py") if file.parent != ROOT / "app/compute"]
    found = {item.module for file in files for item in imports_of(file) if not item.guard}
    return sorted(module for module in found if is_in(module, "bertcore") and is_module(module))


def is_module(name):
    place = ROOT.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file()


def test_what_tells_kinds_of_tasks_apart_is_in_their_own_files():
    """No comparison with a kind's name, no look at the class of an example, features or prediction, no table of kinds.

    Heads of the model have names like those of kinds: what is said of a head, or of all heads, is not meant.
    """
    from bertcore.model.output_heads import HEAD_TITLES
    from bertcore.tasks.kinds import TASK_KINDS

    kinds, heads = set(TASK_KINDS), set(HEAD_TITLES)
    elsewhere = (one for one in nodes("bertcore") if not one[0].startswith("bertcore/tasks/kinds/"))
    assert [
        f"{place} {ast.unparse(node)[:80]}" for place, node, _ in elsewhere if _names_kind(node, kinds, heads)
    ] == []


def _names_kind(node, kinds, heads):
    def texts(*parts):
        return {each.value for part in parts if part for each in ast.walk(part) if isinstance(each, ast.Constant)}

    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        about_head = any(re.search(r"\bheads?$", ast.unparse(side)) for side in sides)
        return bool(texts(*sides) & kinds) and not about_head
    if isinstance(node, ast.match_case):
        return bool(texts(node.pattern) & kinds)
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
        return re.search(r"\w+(Example|Features|Prediction)\b", ast.unparse(node.args[1])) is not None
    if isinstance(node, ast.Dict):
        keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
        return len(keys & kinds) > 1 and not keys <= heads
    return False


@pytest.mark.parametrize(
    "source",
    [
        'kind == "tag"',
        'spec.kind in ("span", "choice")',
        "isinstance(features, SpanFeatures)",
        'LAYOUTS = {"regress": "similarity", "span": "answer"}',
    ],
)
def test_a_kind_named_elsewhere_is_found(source):
    kinds, heads = {"tag", "span", "choice", "regress"}, {"tag", "span", "choice"}
    assert any(_names_kind(node, kinds, heads) for node in ast.walk(ast.parse(source)))
    assert not any(_names_kind(node, kinds, heads) for node in ast.walk(ast.parse('head == "tag" or "span" in heads')))


def test_modules_that_bring_torch_are_found():
    assert {"bertcore.checkpoint.checkpoint", "bertcore.analysis.trace"} <= bring_torch()
    assert not bring_torch() & set(of_the_window()) and len(of_the_window()) > 40


def test_the_window_reaches_torch_only_behind_its_one_door():
    """Neither directly nor through a module of bertcore, and not in a function that runs later either."""

    def is_wrong(file, item):
        return is_in(item.module, *bring_torch()) and file.parent != Path("app/compute") and not item.guard

    assert breaches("app", is_wrong) == []


def test_widgets_know_neither_services_nor_rooms():
    outside = ("app.compute.inference", "app.shell.services", "app.runs.service", "app.shell.window", "app.rooms")
    assert breaches("app/widgets", lambda _, item: is_in(item.module, *outside)) == []


def test_rooms_know_neither_services_nor_other_rooms():
    services = ("app.compute.inference", "app.shell.services", "app.runs.service", "app.shell.window")
    rooms = tuple(f"app.rooms.{folder.name}" for folder in (ROOT / "app/rooms").iterdir() if folder.is_dir())

    def is_wrong(file, item):
        own = ".".join(file.parent.parts[:3])  # a room may have folders of its own
        return is_in(item.module, *services) or (is_in(item.module, *rooms) and not is_in(item.module, own))

    assert breaches("app/rooms", is_wrong) == []


@pytest.mark.parametrize("what", ["bertcore", "app.shell.window", "app.__main__"])
@pytest.mark.skipif(sys.platform == "win32", reason="there torch has to come before Qt")
def test_these_import_no_torch(what):
    modules = of_the_window() if what == "bertcore" else [what]
    heavy = "{name for name in sys.modules if name in ('torch', 'transformers')}"
    program = f"import sys, {', '.join(modules)}; sys.exit(' '.join({heavy}) or 0)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_file_names_a_package_registry_or_a_place_on_someones_machine():
    for file in project_files():
        content = file.read_bytes()
        for pattern in (REGISTRY_HOST, MACHINE_PATH):
            match = pattern.search(content)
            assert match is None, f"{file.relative_to(ROOT).as_posix()} names {match[0].decode(errors='replace')}"


def test_every_folder_of_the_program_is_a_package():
    """One without __init__.py would be missing where BERTscope is installed."""
    folders = {file.parent for name in ("bertcore", "app") for file in (ROOT / name).rglob("*.py")}
    assert [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_signals_lose_no_references():
    """PySide6 6.12.0 loses one to True and None per emission on Python 3.11, until the process ends."""
    assert PySide6.__version_info__[:2] == (6, 11)

    class Sender(QObject):
        sent = Signal(bool)

    sender, received = Sender(), []
    sender.sent.connect(lambda value: received.append(value) if len(received) < 2 else None)
    before = [sys.getrefcount(value) for value in (True, False, None)]
    for number in range(EMISSIONS):
        sender.sent.emit(number % 2 == 0)
    after = [sys.getrefcount(value) for value in (True, False, None)]
    lost = [old - new for old, new in zip(before, after, strict=True)]
    assert received == [True, False]
    assert max(lost) < EMISSIONS // 3


def test_nothing_is_touched_before_its_base_class_exists():
    """A slot that is connected before, or a method that another base calls, meets half an object."""

    def touches_early(node):
        if not (isinstance(node, ast.FunctionDef) and node.name == "__init__"):
            return False
        inside = list(ast.walk(node))
        calls = [one for one in inside if isinstance(one, ast.Call) and ast.unparse(one.func).endswith("().__init__")]
        ends = max((call.end_lineno or 0 for call in calls), default=0)
        touched = [one for one in inside if isinstance(one, ast.Attribute) and one.lineno <= ends]
        return any(ast.unparse(one).startswith("self.") for one in touched)

    assert [place for place, node, _ in nodes("app") if touches_early(node)] == []


def test_no_widget_takes_another_button_for_a_click():
    """Who handles a press by hand asks which button it was; all others inherit it. Any click ends a blank screen."""

    def is_careless(node):
        is_press = isinstance(node, ast.FunctionDef) and node.name == "mousePressEvent"
        return is_press and "LeftButton" not in ast.unparse(node)

    assert files_with(is_careless) == {"app/widgets/presenting.py"}


DISCARDING = {"app/widgets/layouts.py", "app/widgets/line_area.py"}
# Of what is no widget: actions, translators, processes, a lesson's player.
NO_WIDGETS = {"app/shell/commands.py", "app/look/language.py", "app/runs/estimator.py", "app/shell/lessons.py"}


def calls_in_the_window():
    """Each call in app: where it stands, what it calls, its node, and the nodes around it, the innermost last."""
    for place, node, inside in nodes("app"):
        if isinstance(node, ast.Call):
            yield place, ast.unparse(node.func), node, inside


def test_widgets_are_discarded_in_one_way():
    """`layouts.discard`: a widget that is deleted at once may be in the middle of an event of its own.

    An area or a window is given its content once, where it is made: a second time Qt would delete the first at once.
    """
    found = []
    for place, name, call, inside in calls_in_the_window():
        file = place.partition(":")[0]
        is_deletion = name.endswith((".deleteLater", ".takeWidget", "shiboken6.delete")) or (
            name.endswith(".setParent") and ast.unparse(call.args[0]) == "None"
        )
        function = next((node for node in reversed(inside) if isinstance(node, ast.FunctionDef)), None)
        fills_again = (
            name.endswith(".setWidget")
            and function is not None
            and function.name != "__init__"
            and "QScrollArea()" not in ast.unparse(function)
        )
        if ((is_deletion and file not in NO_WIDGETS) or fills_again) and file not in DISCARDING:
            found.append(f"{place}: {name}")
    assert found == []


def test_painters_on_pictures_end_in_any_case():
    """A picture whose painter an error has left open cannot be painted again, and may end the program when it goes."""

    def stays_open(name, call, inside):
        if name not in ("QPainter", "QStylePainter", "theme.painter"):
            return name.endswith("painter.end")
        return ast.unparse(call.args[0]) not in ("self", "widget") and not isinstance(inside[-1], ast.withitem)

    assert [place for place, *call in calls_in_the_window() if stays_open(*call)] == []


LONG_LIVED = ("state", "services", "inference", "runs", "errors", "history", "window")


def test_what_outlives_a_room_is_connected_to_methods_alone():
    """Qt ends a connection to a method with its object; one to a lambda stays, and calls what is gone."""

    def stays(name, call):
        *owner, _signal, method = f"..{name}".split(".")
        is_call = bool(call.args) and isinstance(call.args[0], ast.Lambda | ast.Call)
        return method == "connect" and is_call and owner[-1] in LONG_LIVED

    assert [place for place, name, call, _ in calls_in_the_window() if stays(name, call)] == []


WAITS = re.compile(r"\btime\.sleep\(|\b(?:qtbot|bot)\.wait\(|\bqWait\(|\bsleep\(")
CLOCKS = re.compile(r"\b(?:perf_counter|monotonic|process_time|thread_time)(?:_ns)?\b")
LOOKS_AGAIN = {  # at what nothing tells of, until a time at which it gives up
    "tests/end_to_end/real_display.py": "a window in another process writes what it shows to a file",
    "tests/engine/process_group_runs.py": "one process of a run waits for a file of the other; its launcher ends both",
    "tests/engine/clock.py": "nobody waits: it is the clock of a test",
}
TELLS_TIME = {
    "tests/app/test_tour.py": "the clock of a test",
    "tests/app/test_beside_a_run.py": "the clock of a test",
    "tests/engine/clock.py": "the clock of a test",
    "tests/engine/test_training.py": "the clock of a test",
    "tests/end_to_end/real_display.py": "gives up after minutes",
    "tests/engine/test_estimate_is_true.py": "slow: it measures",
}


def test_no_test_waits_for_time_to_pass_or_asks_how_much_has():
    """Tests wait for events, on any machine; how fast something is, `make bench` asks."""
    own = Path(__file__).resolve()
    files = {file for file in (ROOT / "tests").rglob("*.py") if file != own}
    texts = {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}
    assert {name for name, text in texts.items() if WAITS.search(text)} - set(LOOKS_AGAIN) == set()
    assert {name for name, text in texts.items() if CLOCKS.search(text)} - set(TELLS_TIME) == set()


KINDS_OF_RUNS = {"pretrain", "continue", "finetune", "distil", "sweep"}


def test_no_kind_of_run_is_asked_for_by_name():
    """What differs between kinds of runs is said by their entries in app/runs/run_kinds.py."""

    def names_kind(part):
        if isinstance(part, ast.Constant):
            return part.value in KINDS_OF_RUNS
        return isinstance(part, ast.Attribute) and re.fullmatch(r"\w+Options\.kind", ast.unparse(part)) is not None

    compared = ((place, node) for place, node, _ in nodes("app") if isinstance(node, ast.Compare))
    assert [place for place, node in compared if any(names_kind(part) for part in ast.walk(node))] == []


def test_what_qt_gives_again_under_another_name_is_not_asked_for():
    """`id` of what is gone is given again: what goes by it is taken for another.

    Python keeps `layout.itemAt(...)` of Qt's own layouts as long as the layout, though Qt deletes the item with its
    widget: what Qt makes at that address next is then taken for the item, and has none of its own methods.
    """
    assert [place for place, name, _, _ in calls_in_the_window() if name == "id" or name.endswith(".itemAt")] == []
