"""A signal that comes while pyarrow parses a file."""

import signal
import subprocess
import sys

SCRIPT = """
import io, os, signal, threading
from pyarrow import csv
from aucmax.cli.stop import SignalWatch

rows = io.BytesIO(b"a,b" + b"\\n1.5,2.5" * 5_000_000)
with SignalWatch() as watch:
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    print(csv.read_csv(rows).num_rows)
    print(watch.number)
"""


def test_a_signal_is_recorded_while_a_file_is_parsed():
    ended = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert ended.stdout.split() == ["5000000", str(int(signal.SIGINT))], ended.stderr
