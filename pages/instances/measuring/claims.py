"""Claims of workers on measurements."""

from infrastructure.claims import Claims
from pages.instances.models import Measurement, MeasurementState

claims = Claims(Measurement, [MeasurementState.WAITING], "instances.tasks.measure_next", resting={"stage": ""})
