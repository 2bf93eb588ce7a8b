"""A real nginx for one folder, which knows ranges; only where `find("nginx")` finds one."""

import contextlib
import shutil
import signal
import socket
import subprocess
import time

CONFIGURATION = """daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  log_format ranges '$status $http_range $uri $body_bytes_sent';
  access_log {folder}/access.log ranges;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{
    listen 127.0.0.1:{port};
    root {folder}/server;
    location /slow/ {{ alias {folder}/server/; limit_rate 1m; }}
    {locations}
  }}
}}
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Nginx:
    """An nginx of its own, for the folder `server` in a folder; `locations` are further ones, as nginx takes them."""

    def __init__(self, folder, locations=""):
        self.folder = folder
        self.locations = locations
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        configuration = self.folder / "nginx.conf"
        words = CONFIGURATION.format(folder=self.folder, port=self.port, locations=self.locations)
        configuration.write_text(words, encoding="utf-8")
        words = [find("nginx"), "-e", self.folder / "error.log", "-p", self.folder, "-c", configuration]
        self.process = subprocess.Popen(list(map(str, words)), stderr=subprocess.DEVNULL)
        for _ in range(100):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return self
            time.sleep(0.1)
        raise SystemExit("nginx does not answer: " + (self.folder / "error.log").read_text(encoding="utf-8"))

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def requests(self):
        """[(status, range, path, bytes)] since the last call."""
        log = self.folder / "access.log"
        lines = log.read_text(encoding="utf-8").splitlines()
        log.write_text("", encoding="utf-8")
        self.process.send_signal(signal.SIGUSR1)  # opens it anew
        time.sleep(0.2)
        return [(int(status), ranges, path, int(size)) for status, ranges, path, size in map(str.split, lines)]


def find(tool):
    return shutil.which(tool) or shutil.which(tool, path="/usr/sbin:/sbin")
