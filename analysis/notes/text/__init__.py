"""Text analysis of notes after section 4.3.1 of the paper. Pure functions from texts and numbers to plain data.

scikit-learn is imported on first use.
"""
