"""Writes requirements/*.txt: exact versions of every package, with the hashes of all files of that version.

After a change of pyproject.toml: `make lock`; versions stay as they are where they still fit. A newer version of one
package: `make lock ARGS="--upgrade-package NAME"`. The hashes come from the package index that uv is set to use; those
of torch's CPU builds from the one that TORCH_INDEX names, and without it they stay as they are.

    build.txt      what builds the few packages that come as source, and BERTscope itself
    app.txt        what BERTscope needs, and its extra "summaries", but for torch
    torch.txt      torch as the package index has it, and what its CUDA build needs on Linux
    torch-cpu.txt  torch's CPU builds for Linux
    test.txt       what only the tests need
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements"
LOWEST_PYTHON = "3.11"
OF_TORCH = ("torch", "triton", "nvidia-", "cuda-")  # what its CUDA build needs begins so
Lock = dict[str, str]  # package -> its lines


def main(arguments: list[str]) -> int:
    kept = FOLDER / "app.txt", FOLDER / "torch.txt", FOLDER / "test.txt"
    before = "".join(file.read_text(encoding="utf-8") for file in kept if file.is_file())
    needed = locked(["pyproject.toml", "--extra", "summaries"], before, arguments)
    everything = locked(["pyproject.toml", "--extra", "summaries", "--extra", "test"], before, arguments)
    if changed := {name for name in needed if everything.get(name) != needed[name]}:
        print(f"With the tests' packages these get other versions: {', '.join(sorted(changed))}.", file=sys.stderr)
        return 1
    torch = {name for name in needed if name.startswith(OF_TORCH)}
    write("app.txt", {name: lines for name, lines in needed.items() if name not in torch})
    write("build.txt", {"setuptools": needed["setuptools"]})
    write("torch.txt", {name: needed[name] for name in torch})
    write("test.txt", {name: lines for name, lines in everything.items() if name not in needed})
    return lock_cpu_build(needed["torch"])


def lock_cpu_build(torch: str) -> int:
    """torch-cpu.txt for the same version."""
    version = f"{torch.split()[0]}+cpu"
    file, index = FOLDER / "torch-cpu.txt", os.environ.get("TORCH_INDEX")
    if index:
        with tempfile.TemporaryDirectory() as folder:
            wanted = Path(folder) / "torch.in"
            wanted.write_text(f"{version} ; sys_platform == 'linux'\n", encoding="utf-8")
            write(file.name, locked([str(wanted), "--no-deps", "--index", index], "", []))
    elif not file.is_file() or version not in file.read_text(encoding="utf-8").split():
        print(f"{file.name} is not for {version}: TORCH_INDEX=<index of torch's CPU builds> make lock", file=sys.stderr)
        return 1
    return 0


def locked(what: list[str], before: str, arguments: list[str]) -> Lock:
    """What uv resolves for every system; `before`: a lock whose versions are kept where they fit."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "lock.txt"
        file.write_text(before, encoding="utf-8")
        shape = ["--universal", "--python-version", LOWEST_PYTHON, "--generate-hashes"]
        look = ["--no-emit-index-url", "--no-header", "--no-annotate", "--quiet"]
        command = [sys.executable, "-m", "uv", "pip", "compile", *what, *shape, *look, "-o", str(file), *arguments]
        subprocess.run(command, cwd=ROOT, check=True)
        text = file.read_text(encoding="utf-8")
    return {block.split("==")[0]: block for block in re.split(r"(?m)^(?=\S)", text) if block.strip()}


def write(name: str, lock: Lock) -> None:
    head = "# Written by `make lock` (scripts/lock.py), for `pip install --require-hashes -r`.\n"
    (FOLDER / name).write_text(head + "".join(lock[package] for package in sorted(lock)), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
