#!/bin/sh
# Writes to a list of people, each by name, and prints the result.
set -eu
: "${GATEWAY_URL:=http://127.0.0.1:8080}"
ask() { curl -sSf -H "Authorization: Bearer $GATEWAY_KEY" "$GATEWAY_URL/v1/blasts$1" ${2:+--json "$2"}; }
# Prints the value of a top-level field.
field() { sed 's/.*"'"$1"'":"\{0,1\}\([^",}]*\).*/\1/'; }

id=$(ask '' '{
  "session_id": "'"$SESSION_ID"'",
  "name": "Opening hours",
  "message_type": "text",
  "body": "Hi {{first_name|there}}, we are open on Sunday, too.",
  "recipients": [{"phone": "'"$TO"'", "name": "Anna Widodo"}]
}' | field id)
ask "/$id/start" '{}' > /dev/null
while :; do
  blast=$(ask "/$id")
  status=$(echo "$blast" | field status)
  echo "$status: $(echo "$blast" | field sent_count) of $(echo "$blast" | field total_recipients)"
  [ "$status" = completed ] && exit 0
  # Outside the send window (08:00 to 20:00), the campaign resumes by itself in the morning.
  resumes_at=$(echo "$blast" | field resumes_at)
  [ "$resumes_at" = null ] || { echo "it goes on at $(date -u -d "@${resumes_at%???}" +%Y-%m-%dT%H:%M:%SZ)" && exit 0; }
  sleep 0.3
done
