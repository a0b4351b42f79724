from django.core.exceptions import ValidationError

from accounts.models import Endpoint
from runs.saving import set_values

MOST = 1_000_000_000


def endpoint_set_limits(*, endpoint: Endpoint, **limits: int | None) -> None:
    """Set calls_at_once, requests_per_minute or tokens_per_minute; None if unknown. They apply from the next call on.

    Raises ValidationError with a sentence for each wrong field.
    """
    wrong = {
        name: f"A limit is between 1 and {MOST:,}; leave it empty where none is known."
        for name, value in limits.items()
        if value is not None and not 1 <= value <= MOST
    }
    if wrong:
        raise ValidationError(wrong)
    set_values(endpoint, limits)
    endpoint.save(update_fields=list(limits))
