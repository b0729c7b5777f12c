"""What `make bundle` made, started where there is nothing but a shell and the C library: no Python, no Qt, no network.

Needs root, for a root folder of its own, and the bundle; without either it is left out.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BUNDLE = next((Path(__file__).resolve().parents[2] / "build" / "bundle").glob("bertscope-*-linux-*/"), None)
ENTER = """set -e
mount -t proc proc "$0/proc"
mount -t tmpfs tmpfs "$0/dev"
for device in null urandom; do touch "$0/dev/$device"; mount --bind "/dev/$device" "$0/dev/$device"; done
exec env -i HOME=/home/user PATH=/nowhere "$CHROOT" "$0" "$@"
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the bundle is for Linux"),
    pytest.mark.skipif(BUNDLE is None, reason="make bundle has not been called"),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A root folder with the bundle in /usr/lib."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root can start a program in a root folder of its own")
    folder = tmp_path_factory.mktemp("root")
    for name in ("bin", "proc", "dev", "tmp", "home/user", "usr/lib"):
        (folder / name).mkdir(parents=True)
    for library in _of_the_c_library():
        target = folder / library.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, target)
    shutil.copy(Path("/bin/sh").resolve(), folder / "bin" / "sh")
    shutil.copytree(BUNDLE, folder / "usr" / "lib" / "bertscope", symlinks=True)
    yield folder
    shutil.rmtree(folder)


def _of_the_c_library():
    """The files that every Linux has: the loader and the libraries beside it, at the places a shell names."""
    said = subprocess.run(["ldd", "/bin/sh"], capture_output=True, text=True, check=True).stdout
    loader, libc = (Path(re.search(pattern, said)[1]) for pattern in (r"(/\S+ld-linux\S+)", r"libc\.so\.6 => (/\S+)"))
    others = ("libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libutil.so.1", "libresolv.so.2")
    return [loader, libc, *(file for name in others if (file := libc.with_name(name)).exists())]


def run(root, program, *arguments):
    """Without a network: in a network of its own that has no interface."""
    alone = ["unshare", "--mount", "--net", "--pid", "--fork", "sh", "-c", ENTER]
    command = [*alone, str(root), f"/usr/lib/bertscope/{program}", *arguments]
    env = {**os.environ, "CHROOT": shutil.which("chroot") or "/usr/sbin/chroot"}
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_there_is_no_python_but_its_own(root):
    pythons = [
        file for file in root.rglob("python3*") if file.is_file() and not file.is_relative_to(root / "usr" / "lib")
    ]
    assert pythons == []


def test_its_shell_fills_a_mask(root):
    done = run(root, "bertcore", "fill", "--a", "The cat sat on the [MASK].")
    assert done.returncode == 0 and "%" in done.stdout, done.stderr


def test_it_draws_every_room(root):
    make_run_program(root)
    program = Path(__file__).with_name("every_room.py").read_text(encoding="utf-8")
    done = run(root, "run-program", program, "/tmp/pictures")
    assert done.returncode == 0, done.stderr
    assert len(list((root / "tmp" / "pictures").glob("*.png"))) > 30


def make_run_program(root):
    """Its own Python, for a program that is given as text."""
    made = root / "usr" / "lib" / "bertscope" / "run-program"
    made.write_text(made.with_name("bertcore").read_text().replace("-m bertcore", "-c"), encoding="utf-8")
    made.chmod(0o755)


def test_it_trains_for_two_minutes_and_opens_what_it_trained(root):
    """On a text large enough to be tokenised in processes of their own."""
    stories = next(root.rglob("corpus/stories.txt"))
    (root / "tmp" / "text.txt").write_text(stories.read_text(encoding="utf-8") * 8, encoding="utf-8")
    flags = ("--preset", "tiny", "--corpus", "/tmp/text.txt", "--out", "/tmp/run", "--minutes", "2")
    done = run(root, "bertcore", "pretrain", *flags)
    assert done.returncode == 0, done.stderr
    done = run(root, "bertcore", "fill", "/tmp/run", "--a", "The cat sat on the [MASK].")
    assert done.returncode == 0 and "%" in done.stdout, done.stderr


def test_the_window_starts_a_run_as_a_process_of_its_own(root):
    """As the Train room does: the same Python with -m bertcore."""
    program = (
        "import sys; from pathlib import Path; from bertscope.runs.process import RunChild;"
        "flags = ['pretrain', '--preset', 'tiny', '--corpus', sys.argv[1], '--steps', '3', '--causal-share', '0'];"
        "child = RunChild(Path('/tmp/child'), flags);\n"
        "child._process.wait()\n"
        "print(child.last_words()); sys.exit(not child.ended_well)"
    )
    make_run_program(root)
    stories = "/" + str(next(root.rglob("corpus/stories.txt")).relative_to(root))
    done = run(root, "run-program", program, stories)
    assert done.returncode == 0, done.stdout + done.stderr
