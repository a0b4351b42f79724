"""Patience versus impatience: money now or more money later (paper, section 5.1)."""

from environments.patience.environment import Patience
from environments.patience.instance import GENERATION

__all__ = ["GENERATION", "Patience"]
