"""The one exception that a person sees."""


class BertcoreError(Exception):
    """Something that the person can understand and act on.

    The message is one plain sentence that names the thing and says what to do; it is shown as it stands,
    in the shell (exit code 2) and in the window.
    """
