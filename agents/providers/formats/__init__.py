"""The makers' interfaces, one file each: a chat with tools becomes a body, an answer becomes a reply."""
