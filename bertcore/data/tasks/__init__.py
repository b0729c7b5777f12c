"""Task files: the classic tasks, and a reader for each layout that their files come in. Importable without torch."""

from bertcore.data.examples import Kind
from bertcore.data.tasks.reading import TaskFile, find_file, read_task, sample_folder, task_named
from bertcore.data.tasks.registry import TASKS
from bertcore.data.tasks.spec import Role, TaskSpec
from bertcore.data.tasks.summaries import greedy_labels, with_labels

__all__ = [
    "TASKS",
    "Kind",
    "Role",
    "TaskFile",
    "TaskSpec",
    "find_file",
    "greedy_labels",
    "read_task",
    "sample_folder",
    "task_named",
    "with_labels",
]
