"""Is this normal? What the engine's diagnosis says of the selected run, from the curves that the window has of it."""

from collections.abc import Mapping
from typing import Any

from bertcore.errors import BertcoreError
from bertcore.runs.diagnosis import Diagnosis, diagnose, normal
from bertcore.runs.run_folder import RunFolder
from bertcore.runs.run_record import SCORES, RunRecord, activity_of_heads, common_answer, loss_by_frequency

from .metrics import RunMetrics, metric_key
from .run_info import RunInfo


def settings_of_run(info: RunInfo) -> Mapping[str, Any]:
    """config.json; empty where it cannot be read."""
    try:
        return RunFolder(info.path).config()
    except BertcoreError:
        return {}


def record_of(info: RunInfo, metrics: RunMetrics, settings: Mapping[str, Any]) -> RunRecord:
    """As `bertcore.runs.run_record.read_record` reads it from the folder."""
    since, phase = metrics.phases[-1] if metrics.phases else (0, "")
    curve = {"causal": "loss_next_word", "masked": "loss_masked"}.get(phase, "loss_task")
    steps, losses = metrics.series[curve].arrays
    held_out = metrics.newest.get("held_out", {})
    scores = {name: metrics.series[metric_key(name)].arrays for name in SCORES if name in held_out}
    status = info.status
    return RunRecord(
        status.state,
        status.message or "",
        status.fraction,
        status.total_steps,
        settings,
        train_loss=(steps[steps >= since], losses[steps >= since]),
        held_out_loss=metrics.series["loss_held_out" if "mlm_loss" in held_out else "loss_task_held_out"].arrays,
        scores={name: points for name, points in scores.items() if len(points[0])},
        rate=metrics.series["learning_rate"].arrays,
        update_ratio=metrics.series["update_ratio"].arrays,
        by_frequency=loss_by_frequency(held_out),
        answer=common_answer(held_out),
        heads=activity_of_heads(held_out),
        is_causal=phase == "causal",
        phase_from=since,
    )


def health_of(record: RunRecord) -> list[Diagnosis]:
    """What is wrong, the most urgent first; or that it looks normal; or nothing, while it is too early to say."""
    found = diagnose(record)
    fine = None if found else normal(record)
    return [fine] if fine is not None else found
