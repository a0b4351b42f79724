"""A registration as a zip archive: written with deterministic bytes, and read and replayed without a database."""
