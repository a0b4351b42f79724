"""Text analysis of notes after section 4.3.1 of the paper. Pure: texts and numbers in, plain data out.

scikit-learn is imported on first use.
"""
