"""What is wrong with a lesson file, and where."""

from pathlib import Path

from bertcore.errors import BertcoreError


class LessonError(BertcoreError):
    """One sentence, with the file and line that it is about: `heads.md:12: ...`.

    is_warning: the lesson can be played, but an author will hardly want it so.
    """

    def __init__(self, file: Path, line: int, sentence: str, is_warning: bool = False) -> None:
        super().__init__(f"{file}:{line}: {sentence}")
        self.file, self.line, self.sentence, self.is_warning = file, line, sentence, is_warning


class SetupError(BertcoreError):
    """What a page sets does not go with the model or the text. setting: the command that sets it, such as `head`."""

    def __init__(self, setting: str, sentence: str) -> None:
        super().__init__(sentence)
        self.setting = setting
