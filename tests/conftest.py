"""What every test has: no display, no network, few threads, and a BERTscope folder of its own."""

import gc
import os
import shutil
import tempfile

# Before Qt, torch or the hub's client is imported.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ.setdefault("OMP_NUM_THREADS", "1")  # the cores have their workers
# Of this process, and of what runs before the first test: fixtures of a module, programs that they start.
HOME = os.environ["BERTSCOPE_HOME"] = tempfile.mkdtemp(prefix="bertscope-tests-")

import hypothesis
import pytest

os.fsync = lambda descriptor: None  # milliseconds for each file; only a power cut could tell

hypothesis.settings.register_profile("ci", deadline=None, max_examples=25, derandomize=True)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=500)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    """Runs, settings and caches of this test, and of the programs it starts, go here."""
    home = tmp_path / "bertscope-home"
    monkeypatch.setenv("BERTSCOPE_HOME", str(home))
    return home


def pytest_collection_finish():
    """What all these modules hold stays: nobody need look through it for garbage again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure():
    shutil.rmtree(HOME, ignore_errors=True)
