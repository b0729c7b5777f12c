"""How the program starts: what it imports, what it does without a display, one view alone, and the tour."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

REPOSITORY = Path(__file__).resolve().parents[2]


def run(*arguments: str, cwd: Path = REPOSITORY, **environment: str) -> subprocess.CompletedProcess[str]:
    left_out = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    inherited = {name: value for name, value in os.environ.items() if name not in left_out}
    path = os.pathsep.join([str(REPOSITORY), inherited.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**inherited, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_importing_the_window_imports_neither_torch_nor_pyqtgraph() -> None:
    code = (
        "import sys, app.shell.window; print([m for m in ('torch', 'pyqtgraph', 'transformers') if m in sys.modules])"
    )
    assert run("-c", code).stdout.strip() == "[]"


def test_the_first_paint_needs_no_torch(model_folder: Path) -> None:
    code = (
        "import sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from app.shell import window\n"
        "def painted():\n"
        "    print(sorted(set(sys.modules) & {'torch', 'pyqtgraph'}))\n"
        "    QApplication.instance().quit()\n"
        "class Window(window.Window):\n"
        "    def __init__(self, *arguments):\n"
        "        super().__init__(*arguments)\n"
        "        self.first_painted.connect(painted)\n"
        "window.Window = Window\n"
        "from app.__main__ import main\n"
        f"sys.exit(main([{str(model_folder)!r}]))\n"
    )
    done = run("-c", code, QT_QPA_PLATFORM="offscreen")
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems always have a display")
def test_without_a_display_it_says_so() -> None:
    done = run("-m", "app")
    assert done.returncode == 2 and done.stderr.startswith("No display found."), done.stderr


def test_one_view_is_previewed_alone(model_folder: Path, tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "view.png"
    arguments = ("preview", "layers.hidden", str(model_folder), "--theme", "dark", "--picture", str(file))
    done = run("-m", "app", *arguments, BERTSCOPE_HOME=str(home))
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    image = QImage(str(file))
    assert len({image.pixel(x, y) for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)}) > 20
    assert not (home / "settings.json").exists()
    unknown = run("-m", "app", "preview", "layers.none")
    assert unknown.returncode == 2 and "layers.hidden" in unknown.stderr


def test_the_tour_draws_every_room_and_view(model_folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    arguments = ("build/tour", str(model_folder), "--theme", "light")
    done = run("-m", "scripts.tour", *arguments, cwd=tmp_path, BERTSCOPE_HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert not (home / "settings.json").exists()  # a tour changes nothing of the person's
    visits = json.loads((tmp_path / "build" / "tour" / "tour.json").read_text())["rooms"]
    predict, layers = ["predict"] * 6, ["layers"] * 9  # their views
    class_demo = ["train"] * 4  # halfway, finished, and two of its batches
    each = ["map", "embed", "predict", "predict", "attend", "layers"]
    once = ["attend", "attend", "predict", "layers", "layers", "attend"]
    compared = [*each * 3, *once]  # another text, the same unchanged, another model
    rooms = ["map", *["embed"] * 4, *["attend"] * 8, *predict, *layers, "train", "apply", "game", "film"]
    curves, sweep = ["train"] * 2, ["train"] * 2  # of two runs, with more; at work, finished
    endings = ["train"] * 3  # with a warning, failed, finished
    swapped = ["layers", "layers", "predict", "attend"]  # the map; then one of its cells
    many_texts = ["predict"] * 2  # a template, minimal pairs
    rooms += [*compared, *curves, *sweep, *endings, *swapped, *many_texts, *class_demo]
    rooms += ["train"] * 2  # the form for a run, and a file with a fault
    assert [(visit["room"], visit["theme"]) for visit in visits] == [(room, "light") for room in rooms]
    for visit in visits:
        image = QImage(str(tmp_path / "build" / "tour" / visit["file"]))
        assert (image.width(), image.height()) == (1440, 900)
        assert visit["ms"] > 0
        assert len({image.pixel(x, y) for x in range(0, 1440, 7) for y in range(0, 900, 7)}) > 20


def test_a_tour_of_what_is_no_model_fails_with_a_sentence(tmp_path: Path) -> None:
    done = run("-m", "scripts.tour", str(tmp_path / "tour"), str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("The tour failed: ")
    assert "config.json" in done.stderr
    assert "Traceback" not in done.stderr
