"""What the benchmark and litmus tables have in common, under the file names of both folders."""
