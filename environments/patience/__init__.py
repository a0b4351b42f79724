"""Patience versus impatience: money now or more money later (paper, section 5.1)."""

from environments.patience.environment import Patience as Patience
from environments.patience.findings import COURSE as COURSE
from environments.patience.findings import RULES as RULES
from environments.patience.instance import GENERATION as GENERATION
