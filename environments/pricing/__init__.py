"""Pricing: set prices under nested logit demand that shifts from period to period (paper, section 3.3.3)."""

from environments.pricing.environment import Pricing as Pricing
from environments.pricing.findings import COURSE as COURSE
from environments.pricing.findings import RULES as RULES
from environments.pricing.instance import GENERATION as GENERATION
