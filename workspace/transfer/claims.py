"""Claims on uploads, see infrastructure.claims. Only senders who may still import are worked for."""

from django.db.models import Exists, OuterRef

from accounts.models import Membership, Organization, Role
from infrastructure.claims import Claim, ClaimLost, Claims
from infrastructure.transactions import write_transaction
from workspace.transfer.models import WORKING, ImportUpload

AUTHOR_MAY_IMPORT = Exists(
    Membership.objects.filter(
        organization=OuterRef("organization"), user=OuterRef("created_by"), role__in=(Role.OWNER, Role.EDITOR)
    )
)


class UploadClaims(Claims[ImportUpload]):
    def claim_next(self) -> Claim | None:
        """Claim the upload that waits longest. Deletes those whose sender may no longer import."""
        unwelcome = self.due().exclude(AUTHOR_MAY_IMPORT)
        if unwelcome.exists():
            with write_transaction():
                unwelcome.delete()
        return super().claim_next()

    def lock(self, claim: Claim) -> None:
        """Lock upload and membership until the transaction ends. Raises ClaimLost.

        The lock excludes changes of members, which lock their organization's row, and allows new rows that refer to it.
        """
        organization = ImportUpload.objects.filter(pk=claim.row_id).values("organization")
        list(Organization.objects.filter(pk__in=organization).select_for_update(no_key=True))
        locked = self.mine(claim).filter(AUTHOR_MAY_IMPORT).select_for_update(no_key=True, of=("self",))
        if not list(locked.values_list("id")):
            raise ClaimLost


import_claims = UploadClaims(ImportUpload, WORKING, "transfer.tasks.import_next", AUTHOR_MAY_IMPORT)
