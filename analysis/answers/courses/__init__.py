"""Answers about what agents do period by period."""
