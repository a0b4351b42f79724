"""The launch that a preset of the launch form makes when it is submitted as it stands."""

from pages.dashboard.forms.launch import DEFAULTS, LaunchForm


def plan_of(preset, organization, *slugs):
    """The plan of a preset for agents by slug."""
    empty = LaunchForm(initial=DEFAULTS | preset.values | {"agents": slugs}, organization=organization)
    values = {name: empty.get_initial_for_field(field, name) for name, field in empty.fields.items()}
    form = LaunchForm({name: value for name, value in values.items() if value is not None}, organization=organization)
    assert form.is_valid(), form.errors
    return form.plan()
