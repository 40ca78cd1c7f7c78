import type { Json } from '../../narrator.ts';
import type { Address } from './address.ts';

/** A sink does not reconnect or retry. After any failure, its caller closes it and delivers again. */
export interface Sink {
  readonly atOnce: number;
  /** The position that the receiver stores with the events; null if it does not store one. */
  readonly held: string | null;
  /** Resolves once all events are confirmed. `next` is the position after them; null within a page. */
  deliver(events: readonly Outgoing[], next: string | null): Promise<string>;
  close(): Promise<void>;
}

export interface Outgoing {
  readonly id: string;
  readonly type: string;
  /** The device's id; `account` if the event concerns the whole business. */
  readonly session: string;
  /**
   * Events with the same key stay in order. The key is the chat or, if there is none, the device.
   */
  readonly key: string;
  readonly occurredAt: number;
  readonly body: string;
  readonly contentType: string;
  /** Values for message headers: the CloudEvents attributes, or the id and type. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly isCloudEvent: boolean;
}

export interface Identity {
  readonly tenantId: string;
  readonly secret: string;
}

/** Rejects if the receiver refuses, or does not have the stream or exchange named in the address. */
export type OpenSink = (address: Address, identity: Identity) => Promise<Sink>;

export type Format = 'webhook' | 'cloudevents';

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

/** Events of a chat are sent one after another, so that they cannot overtake a refused one. */
export async function inOrder(events: readonly Outgoing[], send: (event: Outgoing) => Promise<void>): Promise<void> {
  const chains = [...Map.groupBy(events, ({ key }) => key).values()].values();
  const work = async (): Promise<void> => {
    for (const chain of chains) for (const event of chain) await send(event);
  };
  const ends = await Promise.allSettled(Array.from({ length: MOST_CHAINS }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
