#!/bin/sh
# Prints one line for each event as it happens, until a message says "stop example".
set -eu
: "${GATEWAY_URL:=http://127.0.0.1:8080}"
curl -sfN -H "Authorization: Bearer $GATEWAY_KEY" "$GATEWAY_URL/v1/events" |
  while read -r line; do
    case $line in data:*) ;; *) continue ;; esac
    echo "$line" | sed 's/.*"type":"\([^"]*\)".*/\1/'
    # The end of this loop ends curl with its next line.
    case $line in *'"stop example"'*) exit 0 ;; esac
  done || true
