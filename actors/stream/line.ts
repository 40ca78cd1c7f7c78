import type { EventBody } from '../events/types.ts';

/** One event on its way to streams, from node to node and to readers: framed once, with what decides who may see it. */
export interface Line {
  readonly tenant: string;
  readonly type: string;
  readonly session: string | null;
  readonly chat: string | null;
  /** The agent whom the chat was taken from with this event. */
  readonly leaves: string | null;
  /** As readers get it (api.md "Webhooks and live stream"). */
  readonly frame: string;
}

export function toLine(tenant: string, body: EventBody): Line {
  const { id, type, session_id: session, data } = body;
  // JSON has no line break outside of its escapes, so one `data:` line always holds all of it.
  return { tenant, session, ...whoseOf({ type, data }), frame: `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(body)}\n\n` };
}

/** What of an event decides which agents may see it. */
export function whoseOf({ type, data }: Pick<EventBody, 'type' | 'data'>): Pick<Line, 'type' | 'chat' | 'leaves'> {
  return { type, chat: text(data['chat_id']), leaves: type === 'chat.assigned' ? text(data['previous_agent_id']) : null };
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
