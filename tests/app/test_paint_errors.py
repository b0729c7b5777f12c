"""A widget that fails while it paints: the window stays, and says one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QWidget
from app.look import language, theme
from app.shell.services import Services
from app.shell.window import Window

def fail(painter):
    raise ValueError("broken")

FAULTS = {
    "raised in Python": fail,
    "raised in C": lambda painter: int("broken"),
    "raised by Qt": lambda painter: painter.drawText("broken", 3, object()),
}

class Broken(QWidget):
    painted = 0

    def paintEvent(self, event):
        Broken.painted += 1
        painter = QPainter(self)
        FAULTS[sys.argv[2]](painter)

app = QApplication([])
app.setStyle("Fusion")
theme.register_fonts()
language.install(app)
theme.apply(app, "light")
services = Services(app, remembers=False)
window = Window(services, sys.argv[1])
said = []
services.errors.reported.connect(said.append)
drawn = []

def on_drawn(room, ms):  # typing goes on while the widget is broken
    drawn.append(room)
    if len(drawn) == 1:
        window.broken = Broken(window)
        window.broken.setGeometry(0, 0, 40, 40)
        window.broken.show()
    if len(drawn) < 5:
        QTimer.singleShot(20, lambda: (window.state.set_text(f"the cat sat {len(drawn)}", ""), window.broken.update()))
    else:
        QTimer.singleShot(50, window.close)

window.room_drawn.connect(on_drawn)
QTimer.singleShot(60_000, app.quit)
window.show()
app.exec()
print(len(drawn), Broken.painted, len(said), window.frame.banner.text, sep="|", flush=True)
services.close()
"""


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param("raised in Python", marks=pytest.mark.slow),
        "raised in C",
        pytest.param("raised by Qt", marks=pytest.mark.slow),
    ],
)
def test_a_paint_event_that_fails_leaves_the_window_alive(fault: str, model_folder: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "BERTSCOPE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", CODE, str(model_folder), fault]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    drawn, painted, said, sentence = done.stdout.strip().splitlines()[-1].split("|", 3)
    assert int(drawn) >= 5 and int(painted) >= 2 and int(said) >= 1
    assert sentence.startswith("Something unexpected went wrong")
