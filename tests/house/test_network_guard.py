"""The guard in conftest.py: tests talk to this machine only."""

import socket

import pytest


@pytest.mark.parametrize("address", ["192.0.2.1", "8.8.8.8", "10.0.0.1"])
def test_an_address_outside_this_machine_is_refused_before_anything_is_sent(address: str) -> None:
    with socket.socket() as outward, pytest.raises(RuntimeError, match="only loopback"):
        outward.connect((address, 80))


def test_a_datagram_to_an_outside_address_is_refused() -> None:
    with socket.socket(type=socket.SOCK_DGRAM) as outward, pytest.raises(RuntimeError, match="only loopback"):
        outward.sendto(b"", ("192.0.2.1", 53))


def test_a_host_name_is_not_looked_up() -> None:
    with pytest.raises(RuntimeError, match="only loopback"):
        socket.create_connection(("memory.example", 443))


def test_a_server_of_the_test_on_loopback_can_be_reached() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
        server.accept()[0] as accepted,
    ):
        client.sendall(b"here")
        assert accepted.recv(4) == b"here"
