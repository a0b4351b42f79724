"""The search for the proof of a reference whose computation ended without one, and the scores that wait for it.

services    what starts a search: a stored reference, an ended run, a person
claims      one worker per proof; one search at a time on the site
work        a worker's part: an attempt, then the scores of the runs that were played before the proof
apart       runs an attempt in a process of its own; `child` is its program
words       sentences about it for pages

Searching and scoring are claimed jobs, and each step is one transaction. If a worker is killed, only its attempt is
lost. The proof is stored with the state `scoring`. That state lasts until all runs of the instance are scored against
the proof.
"""
