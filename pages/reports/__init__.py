"""Reports: an experiment or a comparison as one HTML file that opens offline, for the appendix of a paper."""
