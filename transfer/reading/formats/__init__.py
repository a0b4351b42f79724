"""The table of log formats, one file an environment, for folders with `global_params.csv` and `logs.csv`.

Source: the published experiment code, in which every environment writes its own columns. Patience has no parameters in
its folder, only answers by model, and is read by a module of its own.
"""

from transfer.reading.formats.collusion import Collusion
from transfer.reading.formats.equality import Equality
from transfer.reading.formats.pricing import Pricing
from transfer.reading.formats.procurement import Procurement
from transfer.reading.formats.scheduling import Scheduling

FORMATS = (Procurement(), Scheduling(), Pricing(), Equality(), Collusion())
