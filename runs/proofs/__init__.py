"""The search for the proof of a reference that an attempt ended without, and the scores that wait for it.

services    what begins a search: a stored reference, an ended run, a person
claims      one worker at a time; one search at a time on the site
work        a worker's part: an attempt, then the scores of the runs that were played before the proof
apart       an attempt in a process of its own, which `child` is
words       what pages say of it

A search and the scores are claimed jobs, and each step is one transaction. Of a killed worker only the attempt is lost. The
proof is stored with the state `scoring`, which lasts until no run of the instance has anything from before the proof.
"""
