"""Flower gives a process 30 s to answer, and a node 60 s. Eight apps that start at once on busy cores take longer.

Python imports this file first wherever its folder is on the path, so also in daemons that Flower starts by itself.
"""

from flwr.common import constant

constant.HEARTBEAT_DEFAULT_INTERVAL = 900  # seconds; Flower takes up to 1800
