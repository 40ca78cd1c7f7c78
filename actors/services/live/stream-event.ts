import type { EventBody } from '../events/types.ts';

/** One event on its way to streams, from node to node and to readers: framed once, with what decides who may see it. */
export interface StreamEvent {
  readonly tenant: string;
  readonly type: string;
  readonly session: string | null;
  readonly chat: string | null;
  /** The agent whom the chat was taken from with this event. */
  readonly leaves: string | null;
  /** As readers get it. */
  readonly frame: string;
  /** It is not recorded, so no stream can go on from it: its frame has no `id:`. */
  readonly ephemeral?: true;
}

export function toStreamEvent(tenant: string, body: EventBody): StreamEvent {
  const { type, session_id: session, data } = body;
  return { tenant, session, ...whoseOf({ type, data }), frame: frameOf(body) };
}

export function toEphemeral(tenant: string, body: EventBody): StreamEvent {
  return { ...toStreamEvent(tenant, body), frame: unnumbered(body), ephemeral: true };
}

export const frameOf = (body: EventBody): string => `id: ${body.id}\n${unnumbered(body)}`;

// JSON has no line break outside of its escapes, so one `data:` line always holds all of it.
const unnumbered = (body: EventBody): string => `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;

/** The part of an event that decides which agents may see it. */
export function whoseOf({ type, data }: Pick<EventBody, 'type' | 'data'>): Pick<StreamEvent, 'type' | 'chat' | 'leaves'> {
  return { type, chat: text(data['chat_id']), leaves: type === 'chat.assigned' ? text(data['previous_agent_id']) : null };
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
