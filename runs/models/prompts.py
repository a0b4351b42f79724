from django.conf import settings
from django.db import models

from accounts.models import Organization
from environments.prompts.own import OwnPrompts
from environments.prompts.variants import OWN
from environments.registry import ENVIRONMENTS


class PromptVariant(models.Model):
    """An own prompt variant of an environment. It cannot be changed while a run uses it.

    base: the built-in variant that it derives from
    texts: every text by name, as of PromptSet.texts
    version: hash of the texts
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="prompts")
    environment = models.CharField(max_length=40)
    base = models.CharField(max_length=40)
    slug = models.CharField(max_length=30)
    name = models.CharField(max_length=100)
    texts = models.JSONField()
    version = models.CharField(max_length=12)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "environment", "base", "slug"], name="one_prompt_per_slug")
        ]
        ordering = ["environment", "base", "slug"]

    def __str__(self) -> str:
        return self.name

    @property
    def variant(self) -> str:
        """The name in launches and filters, such as 'main+concise'."""
        return f"{self.base}{OWN}{self.slug}"

    @property
    def prompt_set(self) -> OwnPrompts:
        return OwnPrompts(ENVIRONMENTS[self.environment].prompt_set, self.texts)
