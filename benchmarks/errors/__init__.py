"""The error of each test and the coverage of each interval, one file for each topic.

A public function of a file that yields rows and is decorated with `prints` is a measurement. It takes the number of
experiments.
"""
