"""Efficiency versus equality: a litmus test of assigning workers to tasks (paper, section 5.2)."""

from environments.equality.environment import EfficiencyVersusEquality as EfficiencyVersusEquality
from environments.equality.findings import COURSE as COURSE
from environments.equality.findings import RULES as RULES
from environments.equality.instance import GENERATION as GENERATION
