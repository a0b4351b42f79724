"""Collusiveness versus competitiveness: a litmus test of two agents that price in one market (paper, appendix J)."""

from environments.collusion.environment import CollusivenessVersusCompetitiveness as CollusivenessVersusCompetitiveness
from environments.collusion.findings import COURSE as COURSE
from environments.collusion.findings import RULES as RULES
from environments.collusion.instance import GENERATION as GENERATION
