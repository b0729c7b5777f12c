"""Why a run failed, by how the sentence that it left begins: the names further on in it may hold any word. No torch."""

DIVERGED = "became infinite or undefined"
LOSS_DIVERGED, WEIGHTS_DIVERGED = f"The loss or its gradient {DIVERGED}", f"The weights {DIVERGED}"
NO_MEMORY = "There is not enough memory for this run"
KILLED = "The training process was killed; the machine may have run out of memory"
DISK_FULL = "The disk is full"  # see `files.why_unwritten`, and the token cache's and the hub's own sentences

_BEGINNINGS = {
    "diverged": (LOSS_DIVERGED, WEIGHTS_DIVERGED),
    "memory": (NO_MEMORY, KILLED),
    "disk": (DISK_FULL,),
}


def cause_of(message: str | None) -> str | None:
    """ "diverged", "memory", "disk", or None for any other sentence."""
    return next((cause for cause, words in _BEGINNINGS.items() if (message or "").startswith(words)), None)
