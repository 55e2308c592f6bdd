"""What a server on loopback says in the terminal of the user."""

import socket
import struct
import time

import pytest

from dovetail.view.loopback import LoopbackHandler, LoopbackServer

NOW = struct.pack("ii", 1, 0)  # close at once: what is written afterwards fails


class Answer(LoopbackHandler):
    """Errors of two kinds, after the page may have been closed."""

    answered = 0

    def do_GET(self) -> None:
        time.sleep(0.1)
        type(self).answered += 1
        if self.path == "/wrong":
            raise ValueError("a fault of the program")
        for _ in range(3):
            self.send_error(410)


@pytest.mark.parametrize(("path", "says"), [("/frames", ""), ("/wrong", "a fault of the program")])
def test_a_page_that_is_closed_early_is_no_error(path, says, capfd):
    server, before = LoopbackServer(0, Answer), Answer.answered
    line = socket.create_connection(("127.0.0.1", server.port))
    line.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NOW)
    line.close()
    end = time.monotonic() + 10
    while Answer.answered == before and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.1)
    server.close()
    said = capfd.readouterr().err
    assert Answer.answered == before + 1
    assert says in said
    assert bool(said) == bool(says)
