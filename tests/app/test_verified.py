"""Opening a model that has reference values: the window says whether this machine computes the same."""

import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from bertcore.analysis.reference_values import write_reference
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import settle, wait_until


@pytest.fixture
def checked_folder(model_folder, tmp_path):
    folder = Path(shutil.copytree(model_folder, tmp_path / "checked"))
    write_reference(load_checkpoint(folder), folder)
    return folder


def open_it(open_window, folder):
    window = open_window(folder)
    settle(window)
    return window


def test_the_status_line_says_that_a_model_is_verified(open_window, checked_folder):
    window = open_it(open_window, checked_folder)
    assert "verified" in window.frame.status.text and not window.frame.banner.is_shown


def test_weights_that_were_changed_are_told(open_window, checked_folder):
    file = checked_folder / "model.safetensors"
    weights = load_file(file)
    name = next(name for name in weights if "LayerNorm.weight" in name)
    save_file({**weights, name: weights[name] + torch.tensor(0.5)}, file, {"format": "pt"})
    window = open_it(open_window, checked_folder)
    assert "Something is off" in window.frame.banner.text
    window.frame.banner.dismiss()  # the line goes on saying it, and the tool tip why
    status = window.frame.status
    assert status.text.endswith("CPU · fp32 · something is off") and "verified" not in status.text
    assert "Something is off" in status._facts.toolTip()


def test_a_model_without_such_values_is_not_checked_and_how_to_is_said(open_window, model_folder, checked_folder):
    window = open_it(open_window, model_folder)
    status = window.frame.status
    assert status.text.endswith("CPU · fp32 · not checked") and "docs/parity.md" in status._facts.toolTip()
    window.services.open_model.open(checked_folder)
    wait_until(lambda: "verified" in status.text)
    assert "not checked" not in status.text and "docs/parity.md" not in status._facts.toolTip()
    window.services.open_model.open(model_folder)
    wait_until(lambda: "not checked" in status.text)
    assert "docs/parity.md" in status._facts.toolTip()
