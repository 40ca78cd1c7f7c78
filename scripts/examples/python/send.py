"""Sends a text and waits until it reached the phone."""
import time

from gateway import SESSION, TO, call

sent = call("POST", f"/v1/sessions/{SESSION}/messages", {"chat_id": TO, "type": "text", "body": "Hello from Python!"})
while True:
    message = call("GET", f"/v1/sessions/{SESSION}/messages/{sent['id']}")
    print(sent["id"], "is", message["status"])
    if message["status"] in ("delivered", "read"):
        break
    if message["status"] == "failed":
        raise SystemExit(message["error"])
    time.sleep(0.3)
