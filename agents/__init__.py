"""Agents: the period loop, LLM providers, baselines.

Layer above `environments`. Pure Python without Django and Celery.
"""
