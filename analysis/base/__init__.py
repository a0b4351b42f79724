"""Code that the benchmark and the litmus tables share, under the file names of both folders."""
