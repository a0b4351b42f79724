"""Batches of OpenAI and Anthropic: requests that are answered within a day, each at half of its price.

`mark` is a text of ours that is unique to a batch. A batch that was submitted shortly before a crash is recognized by it.
"""
