"""The client of Tidemark: typed calls, reads past the limits of one call, and a writer that loses nothing while the service is away."""

from .client import Client
from .columns import Columns
from .errors import ServiceError
from .file_queue import FileQueue
from .queue import MemoryQueue
from .writer import Loss, Status, Writer

__all__ = ["Client", "Columns", "FileQueue", "Loss", "MemoryQueue", "ServiceError", "Status", "Writer"]
