"""A clock in place of the module `time`: tests say how long something takes, and nobody waits."""

TICK_S = 1 / 64  # sums of it are exact


class Clock:
    """Each look at it takes a tick, and waiting as long as was asked for."""

    def __init__(self, on_sleep=lambda: None):
        """on_sleep: called whenever somebody waits."""
        self.now_s = 0.0
        self._on_sleep = on_sleep

    def perf_counter(self):
        self.now_s += TICK_S
        return self.now_s

    monotonic = perf_counter

    def pass_s(self, seconds):
        self.now_s += seconds

    def sleep(self, seconds):
        self.pass_s(seconds)
        self._on_sleep()
