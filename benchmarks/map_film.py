"""What a frame of the map's film costs, in processor time: python -m benchmarks.map_film

Processor time, as a frame is painted on one thread: what else the machine does is not counted.
"""

import statistics
import time

from app.rooms.map.playing_map import FRAME_MS, STEP_MS
from app.rooms.map.room import MapRoom
from app.rooms.map.view import MapView
from benchmarks.offscreen import open_window, wait

TEXT_A, TEXT_B = "Who built the old mill by the river?", "It was built by Martin Reed, who had [MASK]."
LIMIT_MS = 33.0
MODELS = ("bertscope-tiny", "bertscope-mini", "bertscope-names")


def main() -> None:
    for model in MODELS:
        with open_window(model) as window:
            window.state.set_text(TEXT_A, TEXT_B)
            wait(window.is_settled)
            room = window.open_room("map")
            assert isinstance(room, MapRoom)
            view = room.open_view("model")
            assert isinstance(view, MapView)
            wait(lambda window=window, view=view: window.is_settled() and not view.is_running)  # type: ignore[misc]
            times = frames_ms(view)
        low, high = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        print(f"{model}: median {low:.1f} ms, 95% {high:.1f} ms, highest {max(times):.1f} ms; limit {LIMIT_MS:.0f} ms")


def frames_ms(view: MapView) -> list[float]:
    """Of a whole film."""
    shown, times, at = view.map, list[float](), 0.0
    while at < len(shown.steps):
        started = time.process_time()
        shown.go_to(at)
        shown.repaint()
        times.append((time.process_time() - started) * 1000)
        at += FRAME_MS / STEP_MS
    shown.go_to(None)
    return times


if __name__ == "__main__":
    main()
