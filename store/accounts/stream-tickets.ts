import type { Collection, CollectionSpec, Store } from '../port.ts';

/** A ticket to open one event stream on behalf of the caller that requested it. Times are epoch ms. */
export interface TicketRow {
  /** SHA-256 of the ticket, hex. The ticket itself is not stored. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly role: 'admin' | 'agent';
  readonly agent_id: string;
  /** The login that requested the ticket; null for an API key. */
  readonly family: string | null;
  readonly key_id: string | null;
  /** SHA-256 of the API key at the time of the request, hex. */
  readonly key_hash: string | null;
  readonly manages: boolean;
  /** When the access token of the requesting login expires; null for an API key. */
  readonly token_expires_at: number | null;
  /** The devices that the API key may use; null for all. */
  readonly session_ids: readonly string[] | null;
  /** The events that the stream carries; null for the default set. */
  readonly events: readonly string[] | null;
  readonly expires_at: number;
}

export interface Tickets {
  create(row: TicketRow): Promise<void>;
  /** Consumes the ticket, for one caller only; null if unknown, used or expired. */
  take(hash: string, now: number): Promise<TicketRow | null>;
}

const spec: CollectionSpec = { name: 'event_tickets', indexes: [], expires: 'expires_at' };

export function ticketsIn(store: Store): Tickets {
  const tickets: Collection<TicketRow> = store.collection<TicketRow>(spec);

  return {
    create: async (row) => void (await tickets.insertOne(row)),
    take: (_id, now) => tickets.findOneAndDelete({ _id, expires_at: { $gt: now } }),
  };
}
