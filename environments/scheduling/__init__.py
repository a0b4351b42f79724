"""Scheduling: find a stable matching of workers and tasks from blocking pairs alone (paper, section 3.3.2)."""

from environments.scheduling.environment import Scheduling as Scheduling
from environments.scheduling.findings import COURSE as COURSE
from environments.scheduling.findings import RULES as RULES
from environments.scheduling.instance import GENERATION as GENERATION
