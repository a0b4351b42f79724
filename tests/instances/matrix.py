"""What the addresses of instances and designs answer, as in `tests/accounts/matrix.py`."""

READ_ONLY = "302 405 405 405 405 403"
READ = ("302 200 200 200 200 403", READ_ONLY)
OURS = ("302 200 200 200 404 403", READ_ONLY)
CHANGED = ("302 403 405 405 405 403", "302 403 302 302 404 403")

ROWS = {
    "instances/": READ,
    "instances/preview/": READ,
    "instances/preview/figure.json": READ,
    "instances/preview/instance.json": READ,
    "instances/<int:instance_id>/": OURS,
    "instances/<int:instance_id>/figure.json": OURS,
    "instances/<int:instance_id>/instance.json": OURS,
    "instances/designs/": READ,
    "instances/designs/new/": ("302 403 200 200 200 403", "302 403 422 422 422 403"),
    "instances/designs/preview/": ("302 403 200 200 200 403", "302 403 405 405 405 403"),
    "instances/designs/<int:design_id>/": OURS,
    "instances/designs/<int:design_id>/design.json": OURS,
    "instances/designs/<int:design_id>/edit/": ("302 403 200 200 404 403", "302 403 302 302 404 403"),
    "instances/designs/<int:design_id>/archive/": CHANGED,
    "instances/designs/<int:design_id>/delete/": CHANGED,
    "instances/designs/<int:design_id>/measure/": CHANGED,
    "instances/designs/<int:design_id>/measure/cancel/": CHANGED,
    "instances/designs/<int:design_id>/measure/live/": OURS,
    "instances/designs/<int:design_id>/measured.json": OURS,
}


def ids(owner):
    """What stands for the placeholders of the rows: an instance and a design of the organization of a membership."""
    from runs.services import design_create

    organization = owner.organization
    design = design_create(
        organization=organization,
        user=owner.user,
        environment="pricing",
        name=f"{organization.name} design",
        settings={"products": 2, "nests": 1},
    )
    return {"<int:instance_id>": organization.instances.order_by("id")[0].pk, "<int:design_id>": design.pk}
