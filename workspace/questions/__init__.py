"""Questions in words over the transcripts of runs, answered by a model with quotes that link to their periods."""
