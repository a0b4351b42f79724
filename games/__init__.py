"""What shows each environment: its figures, the sections of its pages, its form for people, the metrics of its scores.

A folder holds all of one environment, and `registry.py` lists them. The modules beside them are what the games share.
"""
