"""Prints one line for each event as it happens, until a message says "stop example"."""
import json
import urllib.request
from collections import Counter

from gateway import ADDRESS, KEY, SESSION, call

print(f"the device is {call('GET', f'/v1/sessions/{SESSION}')['status']}", flush=True)
counts = Counter()
request = urllib.request.Request(ADDRESS + "/v1/events", headers={"Authorization": "Bearer " + KEY})
with urllib.request.urlopen(request) as stream:
    for line in stream:
        if not line.startswith(b"data: "):
            continue
        event = json.loads(line[6:])
        counts[event["type"]] += 1
        print(" · ".join(f"{name} {count}" for name, count in counts.items()), flush=True)
        if event["data"].get("body") == "stop example":
            break
