"""What a person got wrong, and can mend."""


class MistakeError(ValueError):
    """It is told in one sentence, without a traceback."""
