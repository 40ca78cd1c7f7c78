"""Calls the gateway from Python, with the standard library only."""
import json
import os
import urllib.error
import urllib.request

ADDRESS = os.environ.get("GATEWAY_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("GATEWAY_KEY", "")
SESSION = os.environ.get("SESSION_ID", "")
TO = os.environ.get("TO", "")


def call(method, path, body=None):
    """Returns the parsed JSON answer. Raises SystemExit with the error code if the gateway refuses."""
    request = urllib.request.Request(
        ADDRESS + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + KEY, "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as refused:
        raise SystemExit(f"{refused.code}: {refused.read().decode()}") from refused
