"""What is wrong with a lesson file, and where."""

from pathlib import Path

from bertcore.errors import BertcoreError


class LessonError(BertcoreError):
    """One sentence, with the file and line that it is about: `heads.md:12: ...`."""

    def __init__(self, file: Path, line: int, sentence: str) -> None:
        super().__init__(f"{file}:{line}: {sentence}")
        self.file, self.line, self.sentence = file, line, sentence
