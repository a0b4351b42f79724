"""Which agents differ, and which metrics of their runs go together with their scores."""
