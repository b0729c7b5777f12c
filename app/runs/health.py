"""Is this normal? What the engine's diagnosis says of the selected run."""

from collections.abc import Mapping
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.runs.diagnosis import Diagnosis, diagnose, normal
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_record import RunRecord

from .run_info import RunInfo


def settings_of_run(info: RunInfo) -> Mapping[str, Any]:
    """config.json; empty where it cannot be read."""
    try:
        return RunFolder(info.path).config()
    except BertcoreError:
        return {}


def health_of(record: RunRecord) -> list[Diagnosis]:
    """What is wrong, the most urgent first; or that it looks normal; or nothing, while it is too early to say."""
    found = diagnose(record)
    fine = None if found else normal(record)
    return [fine] if fine is not None else found
