"""Surveys whose questions are sent through the batch API of the model's maker.

rounds     sends the pending questions as one batch after another, until the survey is finished or its run is over
lifecycle  a batch at its provider: submission, status checks, settlement of its lines, cancellation
"""
