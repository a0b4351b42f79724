"""Batches of OpenAI and Anthropic."""


class Batches:
    def __init__(self, emulator):
        self._emulator = emulator

    def take(self, method, path, headers, body, content):
        return None
