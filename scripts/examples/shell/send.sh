#!/bin/sh
# Sends a text and waits until it reached the phone. Needs GATEWAY_KEY, SESSION_ID (the device) and TO (the recipient); GATEWAY_URL is optional.
set -eu
: "${GATEWAY_URL:=http://127.0.0.1:8080}"
at="$GATEWAY_URL/v1/sessions/$SESSION_ID/messages"
id=$(curl -sSf -H "Authorization: Bearer $GATEWAY_KEY" "$at" --json '{"chat_id": "'"$TO"'", "type": "text", "body": "Hello from the shell!"}' |
  sed 's/.*"id":"\([^"]*\)".*/\1/')
for _ in $(seq 100); do
  status=$(curl -sSf -H "Authorization: Bearer $GATEWAY_KEY" "$at/$id" | sed 's/.*"status":"\([^"]*\)".*/\1/')
  echo "$id is $status"
  case $status in delivered | read) exit 0 ;; failed) exit 1 ;; esac
  sleep 0.3
done
exit 1
