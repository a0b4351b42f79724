"""Who plays: the period loop, LLM providers, baselines.

Layer: above `environments`, below `runs`. Pure Python; nothing here knows of Django or Celery.
"""
