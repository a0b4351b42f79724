"""Reports of an experiment or a comparison: one HTML file that opens offline, for the appendix of a paper."""
