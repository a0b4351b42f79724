"""Client of an EconEvals site: read experiments and runs, and play episodes with a program of your own.

    client = econevals.connect("https://evals.example.org", token)
    client.runs(agent="my-agent").frame()

    econevals.play(episode_token, policy, url="https://evals.example.org")

The client needs the standard library only. `econevals.gymnasium`, `econevals.inspect_tasks` and `econevals.practice` need
the extras of their names.
"""

from econevals.client import Client as Client
from econevals.client import Rows as Rows
from econevals.client import connect as connect
from econevals.errors import EconEvalsError as EconEvalsError
from econevals.errors import NoAnswer as NoAnswer
from econevals.errors import Refused as Refused
from econevals.playing import Entry as Entry
from econevals.playing import OpenEpisode as OpenEpisode
from econevals.playing import Policy as Policy
from econevals.playing import play as play
from econevals.seat import Call as Call
from econevals.seat import Period as Period
from econevals.seat import Seat as Seat
from econevals.version import __version__ as __version__
