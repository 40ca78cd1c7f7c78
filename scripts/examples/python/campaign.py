"""Writes to a list of people, each by name, and prints the result."""
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
    # Outside the hours of the send window (08:00 to 20:00 of the business) it goes on by itself in the morning.
    if blast["resumes_at"]:
        print(f"it goes on at {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(blast['resumes_at'] / 1000))}")
        break
    time.sleep(0.3)
