from django.conf import settings
from django.db import models

from accounts.deletions import Deletable
from accounts.models import Organization


class RunView(Deletable):
    """A person's saved view of a list of runs: filters, order and columns under a name.

    query: the query string of the list
    is_shared: whether every member of the organization sees it
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="run_views")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=1000)
    is_shared = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "user", "name"],
                condition=models.Q(deleted_at=None),
                name="one_run_view_per_name",
            )
        ]
        ordering = ["name", "id"]

    def __str__(self) -> str:
        return self.name
