from django.urls import path

from pages.instances.views import designs, problems

app_name = "instances"
urlpatterns = [
    path("instances/", problems.instances, name="instances"),
    path("instances/preview/", problems.preview, name="preview"),
    path("instances/preview/figure.json", problems.preview_figure, name="preview-figure"),
    path("instances/preview/instance.json", problems.preview_file, name="preview-file"),
    path("instances/<int:instance_id>/", problems.instance_detail, name="instance"),
    path("instances/<int:instance_id>/figure.json", problems.instance_figure, name="instance-figure"),
    path("instances/<int:instance_id>/instance.json", problems.instance_file, name="instance-file"),
    path("instances/<int:instance_id>/prove/", problems.instance_prove, name="instance-prove"),
    path("instances/designs/", designs.designs, name="designs"),
    path("instances/designs/new/", designs.new, name="design-new"),
    path("instances/designs/preview/", designs.design_preview, name="design-preview"),
    path("instances/designs/<int:design_id>/", designs.design_detail, name="design"),
    path("instances/designs/<int:design_id>/design.json", designs.design_file, name="design-file"),
    path("instances/designs/<int:design_id>/edit/", designs.edit, name="design-edit"),
    path("instances/designs/<int:design_id>/archive/", designs.archive, name="design-archive"),
    path("instances/designs/<int:design_id>/delete/", designs.delete, name="design-delete"),
    path("instances/designs/<int:design_id>/measure/", designs.measure, name="design-measure"),
    path("instances/designs/<int:design_id>/measure/cancel/", designs.measure_cancel, name="design-measure-cancel"),
    path("instances/designs/<int:design_id>/measure/live/", designs.measure_live, name="design-measure-live"),
    path("instances/designs/<int:design_id>/measured.json", designs.measured, name="design-measured"),
]
