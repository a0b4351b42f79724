"""Providers of language models: a client, and one file for each wire format.

A wire format turns a `Request` into a body, and an answer into a `Reply`. The client sends the body and turns every
failure into ProviderRetry or ProviderFatal.
"""
