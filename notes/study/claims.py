"""Claims of workers on analyses."""

from infrastructure.claims import Claims
from notes.models import NotesAnalysis, StudyState

claims = Claims(NotesAnalysis, [StudyState.WAITING], "notes.tasks.study_next", resting={"stage": ""})
