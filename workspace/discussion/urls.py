from django.urls import path

from workspace.discussion.views import comments, tags

app_name = "discussion"
urlpatterns = [
    path("experiments/<int:experiment_id>/tags/", tags.tag_put, name="experiment-tags"),
    path("experiments/<int:experiment_id>/tags/remove/", tags.tag_take, name="experiment-untag"),
    path("runs/<int:run_id>/tags/", tags.tag_put, name="run-tags"),
    path("runs/<int:run_id>/tags/remove/", tags.tag_take, name="run-untag"),
    path("runs/<int:run_id>/star/", comments.star, name="run-star"),
    path("runs/<int:run_id>/comments/", comments.comments, name="run-comments"),
    path("runs/<int:run_id>/periods/<int:index>/tags/", tags.tag_put, name="period-tags"),
    path("runs/<int:run_id>/periods/<int:index>/tags/remove/", tags.tag_take, name="period-untag"),
    path("runs/<int:run_id>/periods/<int:index>/star/", comments.star, name="period-star"),
    path("runs/<int:run_id>/periods/<int:index>/comments/", comments.comments, name="period-comments"),
    path("comments/<int:comment_id>/", comments.comment, name="comment"),
    path("comments/<int:comment_id>/edit/", comments.edit, name="comment-edit"),
    path("comments/<int:comment_id>/delete/", comments.delete, name="comment-delete"),
    path("mentions/", comments.mentions, name="mentions"),
    path("mentions/read/", comments.read_all, name="mentions-read"),
    path("mentions/people/", comments.people, name="mentions-people"),
    path("mentions/<int:mention_id>/", comments.mention, name="mention"),
    path("starred/", comments.starred, name="starred"),
    path("tags/", tags.tags, name="tags"),
    path("tags/names/", tags.names, name="tag-names"),
    path("tags/<int:tag_id>/", tags.tag, name="tag"),
    path("tags/<int:tag_id>/merge/", tags.merge, name="tag-merge"),
    path("tags/<int:tag_id>/delete/", tags.delete, name="tag-delete"),
]
