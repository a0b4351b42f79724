"""The economics and the rules of each game.

Layer: the lowest. Pure Python with NumPy, SciPy and PuLP; nothing here knows of Django, Celery, an LLM or a chart.
"""
