"""How a run is advanced: lease, journal, periods, and what ends a slice of work.

A run is advanced by whoever holds its lease. Every write names the lease's fence; a worker that lost its lease finds that
nothing matches and stops. Model replies are journaled before they are acted on, a period is one transaction.
"""
