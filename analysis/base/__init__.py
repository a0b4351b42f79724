"""Code that the tables of benchmarks and of litmus tests share: filters, rows, links and database reads."""
