"""Procurement: buy equipment bundles of unknown effectiveness within a budget (paper, section 3.3.1)."""

from environments.procurement.environment import Procurement as Procurement
from environments.procurement.findings import COURSE as COURSE
from environments.procurement.findings import RULES as RULES
from environments.procurement.instance import ATTEMPTS as ATTEMPTS
from environments.procurement.instance import GENERATION as GENERATION
