"""Task files: the classic tasks, and a reader for each layout that their files come in. Importable without torch."""

from bertcore.tasks.examples import Kind
from bertcore.tasks.readers.reading import TaskFile, find_file, read_task, sample_folder, task_named
from bertcore.tasks.readers.registry import TASKS
from bertcore.tasks.readers.spec import Role, TaskSpec
from bertcore.tasks.readers.summaries import greedy_labels, with_labels

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
