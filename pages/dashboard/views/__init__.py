"""Pages. A view guards, reads a form, calls a service or selector and renders; nothing else."""
