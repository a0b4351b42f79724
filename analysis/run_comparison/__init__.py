"""Comparisons of two to six runs of one instance: the highest score, the first difference, and what each run did in a
period.
"""
