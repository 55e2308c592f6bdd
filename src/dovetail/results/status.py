"""How a run ended, and how an unfinished file says so."""

FINISHED, INTERRUPTED, FAILED, RUNNING = "finished", "interrupted", "failed", "running"
DAMAGED = "damaged"  # said by the reader, never written
EVERY_STATUS = (FINISHED, INTERRUPTED, FAILED, RUNNING)
STATUS_BYTES, REASON_BYTES = 16, 1024

KILLED = "the run was killed or is still going"


def packed(text: str, size: int) -> bytes:
    """UTF-8, cut between characters, padded with zeros to `size` bytes."""
    raw = text.encode()[:size].decode(errors="ignore").encode()
    return raw.ljust(size, b"\0")
