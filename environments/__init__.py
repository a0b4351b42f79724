"""The economics and the rules of each game.

The lowest layer: pure Python with NumPy, SciPy and PuLP. No Django, Celery, LLM or charts here.
"""
