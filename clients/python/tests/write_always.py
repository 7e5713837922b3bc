"""A program that writes without end, and prints the number of the last point that its writer has stored."""

import itertools
import sys

from tidemark import Client, FileQueue, Writer

credentials, directory, first = sys.argv[1:]
client = Client.from_file(credentials)
writer = Writer(client, queue=FileQueue(directory), batch_points=50, first_s=0.02, longest_s=0.1)
for number in itertools.count(int(first)):
    writer.write("number", number, number)
    if number % 20 == 0:
        writer.store()
        print(number, flush=True)
