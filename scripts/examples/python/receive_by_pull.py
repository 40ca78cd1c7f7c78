"""Prints the messages of the last 24 hours and then each new one, until one says "stop example"."""
import time
from urllib.parse import quote

from gateway import call

after = None
while True:
    page = call("GET", "/v1/events/pull" + (f"?after={quote(after)}" if after else ""))
    for event in page["events"]:
        if event["type"] == "message.received":
            print(f"{event['data']['phone']}: {event['data']['body']}", flush=True)
            if event["data"]["body"] == "stop example":
                raise SystemExit(0)
    after = page["next"]
    if not page["events"]:
        time.sleep(0.3)
