export type ConsentStatus = 'opted_in' | 'opted_out';

/** How a consent was set. `network`: the person stopped or resumed marketing messages in the network's own app. */
export type ConsentSource = 'keyword' | 'dashboard' | 'import' | 'api' | 'network' | 'privacy_erasure';

/** One change of a person's consent. `at` is epoch ms. */
export interface HistoryEntry {
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly note: string | null;
  readonly at: number;
}

/** A change that is made, and whose history entry and event are perhaps not stored yet. */
export interface OutboxEntry extends HistoryEntry {
  /** Which change of its record. */
  readonly seq: number;
  /** The former status; null: none. */
  readonly was: ConsentStatus | null;
  /** The cause, where the same cause may come again after a crash: the id of the message. */
  readonly cause?: string;
  /** The device that received it. */
  readonly session_id?: string;
  /** It is to be confirmed to the person. */
  readonly confirm?: boolean;
}

/** The consent of one person. Times are epoch ms. */
export interface ConsentRow {
  /** `<tenant>:<subject>`. */
  readonly _id: string;
  readonly tenant_id: string;
  /** The digits of their number, country code first; their hidden address (`…@lid`) as long as the number is unknown. */
  readonly subject: string;
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly note: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** When the newest of what it was made from was expressed: before `updated_at` where it arrived late. Absent: then. */
  readonly said_at?: number;
  /** Whether only the person or a person of the team may lift this opt-out, whoever repeated it since; absent: as its source says. */
  readonly own?: boolean;
  /** Counts its changes: each applies to the revision that was read, or not at all. */
  readonly seq: number;
  /** Changes whose history entry and event are still to be stored. */
  readonly outbox: readonly OutboxEntry[];
  readonly outbox_pending: boolean;
  /** Confirmations sent since `since`: bounds what two machines can say to each other. */
  readonly confirmed: { readonly since: number; readonly count: number };
  /** The batch of an import whose agreement replaced an opt-out, while that is the last change; null: none. */
  readonly lifted_by: string | null;
}
