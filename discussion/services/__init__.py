"""Writes of discussion: keyword-only functions named entity_verb."""

from discussion.services.comments import comment_create, comment_delete, comment_edit
from discussion.services.personal import mention_read, mentions_read, star_set
from discussion.services.tags import tag_add, tag_delete, tag_merge, tag_remove, tag_update

__all__ = [
    "comment_create",
    "comment_delete",
    "comment_edit",
    "mention_read",
    "mentions_read",
    "star_set",
    "tag_add",
    "tag_delete",
    "tag_merge",
    "tag_remove",
    "tag_update",
]
