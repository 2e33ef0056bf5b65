"""A collector on this machine: serves pages, keeps what is sent to it, and writes down every request."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: str


@dataclass
class Collector:
    port: int = 0
    pages: dict[str, str] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    refuses: bool = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def answers(self) -> list[str]:
        return [request.body for request in self.requests if request.method == "POST"]


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector that is there for a while."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(length).decode()
            collector.requests.append(Request(self.command, self.path, dict(self.headers), body))
            page = collector.pages.get(self.path, "").encode() if self.command == "GET" else b""
            is_known = self.command != "GET" or self.path in collector.pages
            self.send_response(500 if collector.refuses else 200 if is_known else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(page)))
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            self.wfile.write(page)

        do_GET = do_POST = do_PUT = do_OPTIONS = do_HEAD = handle_any

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
