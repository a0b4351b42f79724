"""Procurement: buy equipment bundles of unknown effectiveness within a budget (paper, section 3.3.1)."""

from environments.procurement.environment import Procurement
from environments.procurement.instance import GENERATION

__all__ = ["GENERATION", "Procurement"]
