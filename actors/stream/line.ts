import type { EventBody } from '../events/types.ts';

/** One event on its way to streams, from node to node and to readers: framed once, with what decides who may see it. */
export interface Line {
  readonly tenant: string;
  readonly type: string;
  readonly session: string | null;
  readonly chat: string | null;
  /** As readers get it (api.md "Webhooks and live stream"). */
  readonly frame: string;
}

export function toLine(tenant: string, body: EventBody): Line {
  const { id, type, session_id: session, data } = body;
  const chat = typeof data['chat_id'] === 'string' ? data['chat_id'] : null;
  // JSON has no line break outside of its escapes, so one `data:` line always holds all of it.
  return { tenant, type, session, chat, frame: `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(body)}\n\n` };
}
