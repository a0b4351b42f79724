"""Answers of instances and designs that do not follow from the guards of their views."""

ROWS = {
    # An empty form changes nothing.
    "instances/designs/<int:design_id>/edit/": {"post": "302 403 302 302 404 403"},
}


def ids(owner):
    """Values for the placeholders of the rows: an instance and a design of the organization of a membership."""
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
