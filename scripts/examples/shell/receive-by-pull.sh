#!/bin/sh
# Prints the events of the last 24 hours, a page at a time.
set -eu
: "${GATEWAY_URL:=http://127.0.0.1:8080}"
after=
while :; do
  page=$(curl -sSf -H "Authorization: Bearer $GATEWAY_KEY" "$GATEWAY_URL/v1/events/pull${after:+?after=$after}")
  case $page in '{"events":[],'*) break ;; esac
  echo "$page"
  after=$(echo "$page" | sed 's/.*"next":"\([^"]*\)".*/\1/')
done
