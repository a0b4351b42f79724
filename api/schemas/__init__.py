"""The shapes of requests and answers, with the words and examples that the documentation shows."""
