"""A static server with range requests, which python's own lacks, for one folder; counts what it sends and can cut."""

import http.server
import pathlib
import re
import threading


class RangeServer(http.server.ThreadingHTTPServer):
    """Serves `folder` on a free port of this machine while it is used as a context manager."""

    daemon_threads = True

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = pathlib.Path(folder)
        self.requests = []  # (name, first byte, bytes sent)
        self.cut_after = None  # each answer is cut after so many bytes
        self.has_ranges = True

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *failure):
        self.shutdown()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = self.server.folder / self.path.lstrip("/")
        if not path.is_file():
            self.send_error(404)
            return
        content = path.read_bytes()
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        first = int(asked[1]) if asked and self.server.has_ranges else 0
        if first > len(content):
            self.send_error(416)
            return
        self.send_response(206 if asked and self.server.has_ranges else 200)
        self.send_header("Content-Length", str(len(content) - first))
        if asked and self.server.has_ranges:
            self.send_header("Content-Range", f"bytes {first}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        end = len(content) if self.server.cut_after is None else first + self.server.cut_after
        self.server.requests.append((path.name, first, len(content[first:end])))  # before whoever asked can be done
        self.wfile.write(content[first:end])
        if end < len(content):
            self.close_connection = True

    def log_message(self, *words):
        pass
