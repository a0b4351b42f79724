class LogRefused(ValueError):
    """Why something is not imported: a sentence that names the file and, if known, the line."""
