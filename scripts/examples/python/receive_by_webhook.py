"""Registers a webhook, checks the signature of each event, prints the event, and answers."""
import base64
import hashlib
import hmac
import json
import os
import secrets
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from gateway import call

SECRET = secrets.token_hex(24)
PORT = int(os.environ.get("PORT", "9000"))
# The address at which the gateway reaches this program.
PUBLIC_URL = os.environ.get("PUBLIC_URL", f"http://127.0.0.1:{PORT}")
seen = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        digest = hmac.new(SECRET.encode(), body, hashlib.sha256).digest()
        expected = "sha256=" + base64.b64encode(digest).decode()
        genuine = hmac.compare_digest(expected, self.headers.get("X-Webhook-Signature", ""))
        self.send_response(204 if genuine else 401)
        self.end_headers()
        event_id = self.headers.get("X-Webhook-ID")
        # The same event may arrive twice.
        if not genuine or event_id in seen:
            return
        seen.add(event_id)
        event = json.loads(body)
        print(f"{event['type']}: {event['data'].get('message') or event['data'].get('body')}", flush=True)
        if event["type"] == "webhook.test":
            threading.Thread(target=self.server.shutdown).start()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", PORT), Receiver)
events = ["message.received"]
try:
    webhook = call("POST", "/v1/webhooks", {"url": PUBLIC_URL, "secret": SECRET, "events": events})
except SystemExit as refused:
    raise SystemExit(
        f"{refused}\nSet PUBLIC_URL to an https address of this program, or let the gateway reach this one:\n"
        f"start it with EGRESS_ALLOW=127.0.0.1:{PORT}"
    ) from None
threading.Thread(target=call, args=("POST", f"/v1/webhooks/{webhook['id']}/test", {})).start()
server.serve_forever()
