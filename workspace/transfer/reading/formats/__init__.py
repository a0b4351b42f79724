"""The table of log formats, one file an environment, for folders with `global_params.csv` and `logs.csv`.

Source: the published experiment code, in which every environment writes its own columns. Patience has no parameters in
its folder, only answers by model, and is read by a module of its own.
"""

from workspace.transfer.reading.formats.collusion import Collusion
from workspace.transfer.reading.formats.equality import Equality
from workspace.transfer.reading.formats.pricing import Pricing
from workspace.transfer.reading.formats.procurement import Procurement
from workspace.transfer.reading.formats.scheduling import Scheduling

FORMATS = (Procurement(), Scheduling(), Pricing(), Equality(), Collusion())
