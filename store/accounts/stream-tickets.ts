import type { Collection, CollectionSpec, Store } from '../port.ts';

/** Who may open one event stream: the caller that asked for the ticket. Times are epoch ms. */
export interface TicketRow {
  /** SHA-256 of the ticket, hex; the ticket itself is nowhere. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly role: 'admin' | 'agent';
  readonly agent_id: string;
  /** The login that asked; null: an API key did. */
  readonly family: string | null;
  readonly key_id: string | null;
  /** SHA-256 of the secret that the key had, hex. */
  readonly key_hash: string | null;
  /** Whether who asked may link phones. */
  readonly manages: boolean;
  /** When the token of the login that asked expires; null: an API key did. */
  readonly token_expires_at: number | null;
  /** The devices that the API key may use; null: all. */
  readonly session_ids: readonly string[] | null;
  /** The events that the stream carries; null: those that every stream does. */
  readonly events: readonly string[] | null;
  readonly expires_at: number;
}

export interface Tickets {
  create(row: TicketRow): Promise<void>;
  /** Gives the ticket to exactly one caller, on whichever node; null: no such ticket, used, or expired. */
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
