"""Surveys that are asked by the batches of their model's maker.

rounds     asks what is pending as one batch after another, until the survey is finished or its run is over
lifecycle  a batch at its provider: submission, looks, settlement of its lines, cancellation
"""
