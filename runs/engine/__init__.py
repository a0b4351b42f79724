"""The engine plays runs. A worker leases a run, plays periods for a slice of time and releases it.

exceptions      every exception that ends a slice, with the run state it leads to
advance         plays a run for one slice and releases it; the entry point for Celery tasks
lease           leases: which worker may play and write to a run
heartbeat       thread that renews the leases, limiter slots and claims of this process
jobs            runner of claimed jobs beside runs: proofs, measurements, analyses, imports
requests        pauses and cancels runs from outside the worker, by a stop request if the run is leased
reference       draws an instance and computes its reference optimum, once for all runs
players         builds the client of an agent: a baseline, or a model behind an endpoint
period          plays one period in every seat and commits it
survey          plays a survey of a model with many concurrent queries
batches/        plays a survey by the batches of its model's maker
journal         write-ahead journal of a period's queries: replays stored replies, sends missing ones
calls           makes one model call: limiter slot, intent, query, settlement
writing/        group commit of what calls and periods write:
  group_commit    queues entries of all threads and commits them together
  entries         the entries: intent and settlement of a call, lost calls, end of a period
  lines           the entries for the lines of a batch, many lines in one entry
  batch           the rows of one transaction, and their budget bookings
  budget_accounts the locked budgets that pay for a call
  spool           files for paid replies while the database is away

Three rules hold everywhere. A model reply is committed before it is acted on. A period is one transaction. Every write
filters by the fence number of the lease, so a worker that lost its lease cannot write.
"""
