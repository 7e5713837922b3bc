"""A program that sends what a queue holds, and ends."""

import sys

from tidemark import Client, FileQueue, Writer

credentials, directory = sys.argv[1:]
with Writer(Client.from_file(credentials), queue=FileQueue(directory)) as writer:
    writer.flush(60)
