"""Schemas of requests and answers, with the descriptions and examples of the documentation."""
