"""Views of the dashboard. A view only checks access, reads a form, calls a service or selector, and renders."""
