"""What every address of comments, tags, stars and mentions answers to everybody, by GET and by POST without a body.

The roles are those of tests.accounts.matrix: not signed in, viewer, editor, owner, owner elsewhere, removed member. The
comment is the owner's and mentions the owner.
"""

TAG_PUT = ("302 403 405 405 405 403", "302 403 302 302 404 403")
TAG_TAKE = ("302 403 405 405 405 403", "302 403 404 404 404 403")
STAR = ("302 405 405 405 405 403", "302 302 302 302 404 403")
COMMENTS = ("302 302 302 302 404 403", "302 422 422 422 404 403")
EVERY_MEMBER = ("302 200 200 200 200 403", "302 405 405 405 405 403")

ROWS = {
    "experiments/<int:experiment_id>/tags/": TAG_PUT,
    "experiments/<int:experiment_id>/tags/remove/": TAG_TAKE,
    "runs/<int:run_id>/tags/": TAG_PUT,
    "runs/<int:run_id>/tags/remove/": TAG_TAKE,
    "runs/<int:run_id>/star/": STAR,
    "runs/<int:run_id>/comments/": COMMENTS,
    "runs/<int:run_id>/periods/<int:index>/tags/": TAG_PUT,
    "runs/<int:run_id>/periods/<int:index>/tags/remove/": TAG_TAKE,
    "runs/<int:run_id>/periods/<int:index>/star/": STAR,
    "runs/<int:run_id>/periods/<int:index>/comments/": COMMENTS,
    "comments/<int:comment_id>/": ("302 302 302 302 404 403", "302 405 405 405 405 403"),
    "comments/<int:comment_id>/edit/": ("302 403 403 200 404 403", "302 403 403 422 404 403"),
    "comments/<int:comment_id>/delete/": ("302 405 405 405 405 403", "302 403 403 302 404 403"),
    "mentions/": EVERY_MEMBER,
    "mentions/read/": ("302 405 405 405 405 403", "302 302 302 302 302 403"),
    "mentions/people/": EVERY_MEMBER,
    "mentions/<int:mention_id>/": ("302 404 404 302 404 403", "302 405 405 405 405 403"),
    "starred/": EVERY_MEMBER,
    "tags/": EVERY_MEMBER,
    "tags/names/": EVERY_MEMBER,
    "tags/<int:tag_id>/": ("302 200 200 200 404 403", "302 403 422 422 404 403"),
    "tags/<int:tag_id>/merge/": ("302 403 405 405 405 403", "302 403 422 422 404 403"),
    "tags/<int:tag_id>/delete/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
}


def ids(owner):
    """Values for the placeholders of the rows: a comment, a mention and a tag of the member `owner` on the last run."""
    from discussion.models import Comment, Mention
    from discussion.services.tags import tag_add
    from discussion.subjects import Subject
    from runs.models import Run

    organization, name = owner.organization, owner.user.username
    run = Run.objects.filter(experiment__organization=organization).order_by("-id")[0]
    about = {"organization": organization, "run": run, "author": owner.user, "author_name": name}
    comment = Comment.objects.create(**about, text=f"@{name}, see {organization.name}.", mentioned=[name])
    # The service does not notify authors of their own comments.
    mention = Mention.objects.create(organization=organization, comment=comment, user=owner.user)
    tag = tag_add(subject=Subject(run), name=f"{organization.name} tag".lower(), user=owner.user)
    return {"<int:comment_id>": comment.pk, "<int:mention_id>": mention.pk, "<int:tag_id>": tag.pk}
