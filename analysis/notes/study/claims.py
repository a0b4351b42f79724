"""Claims of workers on analyses."""

from analysis.notes.models import NotesAnalysis, StudyState
from infrastructure.claims import Claims

claims = Claims(NotesAnalysis, [StudyState.WAITING], "notes.tasks.study_next", resting={"stage": ""})
