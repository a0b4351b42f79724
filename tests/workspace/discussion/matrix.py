"""Answers of comments, tags, stars and mentions that do not follow from the guards of their views.

The comment is the owner's and mentions the owner.
"""

SUBJECTS = ("runs/<int:run_id>/", "runs/<int:run_id>/periods/<int:index>/")

ROWS = {
    # The name of the tag is missing.
    **dict.fromkeys(
        (f"{subject}tags/remove/" for subject in ("experiments/<int:experiment_id>/", *SUBJECTS)),
        {"post": "302 403 404 404 404 403"},
    ),
    # Comments are read on the page of their subject.
    **dict.fromkeys((f"{subject}comments/" for subject in SUBJECTS), {"get": "302 302 302 302 404 403"}),
    "comments/<int:comment_id>/": {"get": "302 302 302 302 404 403"},
    # Only their author changes comments, and only the mentioned person follows a mention.
    "comments/<int:comment_id>/edit/": {"get": "302 403 403 200 404 403", "post": "302 403 403 422 404 403"},
    "comments/<int:comment_id>/delete/": {"post": "302 403 403 302 404 403"},
    "mentions/<int:mention_id>/": {"get": "302 404 404 302 404 403"},
    # Every member reads a tag, editors change it.
    "tags/<int:tag_id>/": {"post": "302 403 422 422 404 403"},
    "tags/<int:tag_id>/merge/": {"post": "302 403 422 422 404 403"},
}


def ids(owner):
    """Values for the placeholders of the rows: a comment, a mention and a tag of the member `owner` on the last run."""
    from runs.models import Run
    from workspace.discussion.models import Comment, Mention
    from workspace.discussion.services.tags import tag_add
    from workspace.discussion.subjects import Subject

    organization, name = owner.organization, owner.user.username
    run = Run.objects.filter(experiment__organization=organization).order_by("-id")[0]
    about = {"organization": organization, "run": run, "author": owner.user, "author_name": name}
    comment = Comment.objects.create(**about, text=f"@{name}, see {organization.name}.", mentioned=[name])
    # The service does not notify authors of their own comments.
    mention = Mention.objects.create(organization=organization, comment=comment, user=owner.user)
    tag = tag_add(subject=Subject(run), name=f"{organization.name} tag".lower(), user=owner.user)
    return {"<int:comment_id>": comment.pk, "<int:mention_id>": mention.pk, "<int:tag_id>": tag.pk}
