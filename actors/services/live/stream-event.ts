import type { EventBody } from '../events/types.ts';

export interface StreamEvent {
  readonly tenant: string;
  readonly type: string;
  readonly session: string | null;
  readonly chat: string | null;
  readonly leaves: string | null;
  readonly frame: string;
  /** Set for unrecorded events. A stream cannot resume after one, so its frame has no `id:`. */
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

const unnumbered = (body: EventBody): string => `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;

export function whoseOf({ type, data }: Pick<EventBody, 'type' | 'data'>): Pick<StreamEvent, 'type' | 'chat' | 'leaves'> {
  return { type, chat: text(data['chat_id']), leaves: type === 'chat.assigned' ? text(data['previous_agent_id']) : null };
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
