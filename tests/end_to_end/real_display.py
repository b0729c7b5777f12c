"""A display without a screen, hands on its keyboard and mouse, and BERTscope as a process with a window there."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import xtest
from Xlib.protocol import event as x_event

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 120.0  # two slow cores, shared with others
LOOK_EVERY_S = 0.02
HELD_MS = 20  # how long a button of the mouse stays down, and up
NAMES = {" ": "space", ".": "period", "ctrl": "Control_L", "shift": "Shift_L", "[": "bracketleft", "]": "bracketright"}


@contextmanager
def display():
    """Starts Xvfb on a number that nobody uses and gives the display's name, ":7"."""
    read, write = os.pipe()
    with tempfile.TemporaryFile() as log:
        command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"]
        server = subprocess.Popen(command, pass_fds=[write], stdout=log, stderr=log)
        os.close(write)
        try:
            yield f":{_number(read, log)}"
        finally:
            os.close(read)
            server.terminate()
            server.wait(PATIENCE_S)


def _number(read, log):
    """Which display it is, as soon as it takes callers."""
    ready, _, _ = select.select([read], [], [], PATIENCE_S)
    told = os.read(read, 100) if ready else b""
    if not told.strip():
        log.seek(0)
        raise AssertionError(f"Xvfb did not start: {log.read().decode(errors='replace')[-2000:]}")
    return int(told)


class Hands:
    """Key presses and mouse movements as the X server gets them from real devices (XTEST)."""

    def __init__(self, name):
        self._display = Display(name)
        self._display.change_keyboard_control(auto_repeat_mode=X.AutoRepeatModeOff)

    def close(self):
        self._display.close()

    def give_keyboard(self, window):
        """There is no window manager that would."""
        self._display.set_input_focus(window, X.RevertToParent, X.CurrentTime)
        self._display.sync()

    def ask_to_close(self, window):
        """What a window manager does when the cross of a window is clicked."""
        protocols, delete = (self._display.intern_atom(name) for name in ("WM_PROTOCOLS", "WM_DELETE_WINDOW"))
        target = self._display.create_resource_object("window", window)
        data = 32, [delete, X.CurrentTime, 0, 0, 0]
        target.send_event(x_event.ClientMessage(window=target, client_type=protocols, data=data))
        self._display.sync()

    def press(self, keys):
        """ "Tab", "ctrl+k": all down in order, all up again."""
        codes = [self._code(name)[0] for name in keys.split("+")]
        for kind, order in ((X.KeyPress, codes), (X.KeyRelease, codes[::-1])):
            for code in order:
                xtest.fake_input(self._display, kind, code)
        self._display.sync()

    def type(self, text):
        for letter in text:
            _, is_upper = self._code(letter)
            self.press(f"shift+{letter}" if is_upper else letter)

    def move(self, place):
        """By way of the pixel beside it, so that there is a movement wherever the mouse was."""
        x, y = place
        for left in (x - 1, x):
            xtest.fake_input(self._display, X.MotionNotify, x=left, y=y)
        self._display.sync()

    def click(self, place, times=1):
        self.move(place)
        for _ in range(times):
            self._button(1)

    def turn_wheel(self, place, notches):
        """Away from the person where `notches` is above 0."""
        self.move(place)
        for _ in range(abs(notches)):
            self._button(4 if notches > 0 else 5)

    def _button(self, number):
        """Two presses in the same millisecond would be no double click."""
        for kind in (X.ButtonPress, X.ButtonRelease):
            xtest.fake_input(self._display, kind, number, time=HELD_MS)
        self._display.sync()

    def _code(self, name):
        """The key for a letter or a key's name, and whether it needs Shift."""
        symbol = XK.string_to_keysym(NAMES.get(name, name))
        found = list(self._display.keysym_to_keycodes(symbol))
        assert found, f"the keyboard of this display has no key for {name!r}"
        code, place = found[0]
        return code, place % 2 == 1


class RealWindow:
    """BERTscope in a process of its own. `until` waits for what it shows, never for time to pass."""

    def __init__(self, display_name, folder, *arguments):
        self._told, self._errors = folder / "shown.json", folder / "stderr.txt"
        (folder / "runtime").mkdir(mode=0o700)
        environment = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
        environment |= {
            "DISPLAY": display_name,
            "QT_QPA_PLATFORM": "xcb",
            "XDG_RUNTIME_DIR": str(folder / "runtime"),
            "BERTSCOPE_HOME": str(folder / "home"),
            "PYTHONPATH": str(ROOT),
        }
        command = [sys.executable, "-m", "tests.end_to_end.reporting_window", str(self._told), *arguments]
        with self._errors.open("wb") as errors:
            self.process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=errors, stderr=errors)

    @property
    def shown(self):
        try:
            return json.loads(self._told.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}

    @property
    def errors(self):
        return self._errors.read_text(encoding="utf-8", errors="replace")

    def until(self, condition, what):
        """What is shown, as soon as it is as asked. `what` is said where it never is."""
        ends = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends:
            shown = self.shown
            if shown and condition(shown):
                return shown
            if self.process.poll() is not None:
                break
            time.sleep(LOOK_EVERY_S)
        runs = self.process.poll() is None
        if runs:
            self.process.send_signal(signal.SIGUSR1)  # it says where it is
            time.sleep(1)
        raise AssertionError(
            f"{what} did not come; the process {'still runs' if runs else 'has ended'}.\n"
            f"shown: {json.dumps(self.shown)[:3000]}\nsaid: {self.errors[-5000:]}"
        )

    def end(self):
        """The exit code, once it has ended of itself."""
        return self.process.wait(PATIENCE_S)

    def kill(self):
        self.process.kill()
        self.process.wait()
