"""A run whose disk fills up at step 4, again and again with a little more room left; told as JSON.

python -m tests.engine.full_disk DISK ELSEWHERE      DISK is small, and nothing else lies there
"""

import json
import shutil
import sys
from pathlib import Path

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.runs.run_folder import RunFolder
from tests.engine.runs_of_each_kind import pretraining, story

ROOM = (0, 16_384, 90_112)  # bytes


def filled(disk, room):
    def watch(event):
        if event["kind"] == "train" and event["step"] == 4:
            free = shutil.disk_usage(disk).free
            with (disk / "filler").open("wb", buffering=0) as stream:
                while stream.tell() < free - room and stream.write(bytes(4096)):
                    pass

    return watch


def main(disk, elsewhere):
    start, run, found = pretraining(elsewhere), disk / "run", []
    start(elsewhere / "undisturbed")
    for room in ROOM:
        shutil.rmtree(run, ignore_errors=True)
        said = None
        try:
            start(run, filled(disk, room))
        except BertcoreError as error:
            said = str(error)
        status, newest = RunFolder(run).status(), RunFolder(run).newest_snapshot()
        (disk / "filler").unlink()
        step = load_checkpoint(newest).step
        start(run)
        same = story(run) == story(elsewhere / "undisturbed")
        told = {"room": room, "said": said, "state": status.state, "message": status.message}
        found.append({**told, "newest": step, "same": same})
    return found


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), Path(sys.argv[2]))))
