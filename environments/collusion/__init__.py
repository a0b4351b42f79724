"""Collusiveness versus competitiveness: a litmus test of two agents that price in one market (paper, appendix J)."""

from environments.collusion.environment import CollusivenessVersusCompetitiveness
from environments.collusion.instance import GENERATION

__all__ = ["GENERATION", "CollusivenessVersusCompetitiveness"]
