"""Writes to a list of people, each by their name, and prints what became of it."""
import time

from gateway import SESSION, TO, call

blast = call(
    "POST",
    "/v1/blasts",
    {
        "session_id": SESSION,
        "name": "Opening hours",
        "message_type": "text",
        "body": "Hi {{first_name|there}}, we are open on Sunday, too.",
        "recipients": [{"phone": TO, "name": "Anna Widodo"}],
    },
)
call("POST", f"/v1/blasts/{blast['id']}/start", {})
while True:
    blast = call("GET", f"/v1/blasts/{blast['id']}")
    print(f"{blast['status']}: {blast['sent_count']} of {blast['total_recipients']}")
    if blast["status"] == "completed":
        break
    time.sleep(0.3)
