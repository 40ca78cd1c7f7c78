import type { Json } from '../../narrator.ts';
import type { Address } from './address.ts';

/**
 * The port to a receiver of events: a web address or a broker. One module per kind implements it on
 * one connection without reconnection or retries of its own: after any failure, the loop closes the
 * sink and delivers the same events again on a new one.
 */
export interface Sink {
  readonly atOnce: number;
  /** The position that the receiver itself stores with the events; null if it does not store one. */
  readonly held: string | null;
  /** Resolves once all events are confirmed; rejects otherwise. `next`: position after them; null inside a page. */
  deliver(events: readonly Outgoing[], next: string | null): Promise<string>;
  close(): Promise<void>;
}

export interface Outgoing {
  readonly id: string;
  readonly type: string;
  /** The device; `account` for events of the business. */
  readonly session: string;
  /** Ordering key: the chat, or else the device. Events with the same key arrive in order. */
  readonly key: string;
  readonly occurredAt: number;
  readonly body: string;
  readonly contentType: string;
  /** Attributes for the headers of a message: those of CloudEvents, or the id and type. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly isCloudEvent: boolean;
}

export interface Identity {
  /** Distinguishes this business's events from others at the same broker. */
  readonly tenantId: string;
  readonly secret: string;
}

/** Opens a connection. Rejects if the receiver refuses it, or lacks the stream or exchange that the address names. */
export type OpenSink = (address: Address, identity: Identity) => Promise<Sink>;

export type Format = 'webhook' | 'cloudevents';

/** Formats an API event as a webhook body, or as a CloudEvent 1.0 in binary mode. */
export function outgoing({ id, type, session_id, occurred_at, data }: Json, format: Format): Outgoing {
  const chat = typeof data?.chat_id === 'string' ? data.chat_id : null;
  const session = session_id ?? 'account';
  const isCloudEvent = format === 'cloudevents';
  const attributes = isCloudEvent
    ? {
        specversion: '1.0',
        id,
        source: session_id === null ? '/v1' : `/v1/sessions/${session_id}`,
        type: `gw.${type}`,
        time: new Date(occurred_at).toISOString(),
        ...(chat !== null && { subject: chat }),
      }
    : { id, type };
  return {
    id,
    type,
    session,
    key: chat === null ? session : `${session}/${chat}`,
    occurredAt: occurred_at,
    body: JSON.stringify(isCloudEvent ? data : { id, type, session_id, occurred_at, data }),
    contentType: 'application/json',
    attributes,
    isCloudEvent,
  };
}

const MOST_CHAINS = 16;

/**
 * Sends events one by one in each chat, and up to 16 chats at the same time. An event is sent only after
 * its predecessor in the chat was confirmed, so later events do not overtake a refused one. Rejects with
 * the first failure, after the sends in progress have ended.
 */
export async function inOrder(events: readonly Outgoing[], send: (event: Outgoing) => Promise<void>): Promise<void> {
  const chains = [...Map.groupBy(events, ({ key }) => key).values()].values();
  const work = async (): Promise<void> => {
    for (const chain of chains) for (const event of chain) await send(event);
  };
  const ends = await Promise.allSettled(Array.from({ length: MOST_CHAINS }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
