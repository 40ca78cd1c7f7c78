import type { Collection, CollectionSpec, Store } from '../port.ts';

export interface TicketRow {
  /** SHA-256 of the ticket, hex. The ticket itself is not stored. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly role: 'admin' | 'agent';
  readonly agent_id: string;
  readonly family: string | null;
  readonly key_id: string | null;
  readonly key_hash: string | null;
  readonly manages: boolean;
  readonly token_expires_at: number | null;
  readonly session_ids: readonly string[] | null;
  readonly events: readonly string[] | null;
  readonly expires_at: number;
}

export interface Tickets {
  create(row: TicketRow): Promise<void>;
  /** Uses up the ticket. Returns null if it is unknown, used or expired. */
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
