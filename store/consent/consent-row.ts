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

export interface OutboxEntry extends HistoryEntry {
  readonly seq: number;
  /** The previous status; null if there was no record. */
  readonly was: ConsentStatus | null;
  /** Id of the causing message, which may be processed again after a crash. */
  readonly cause?: string;
  readonly session_id?: string;
  readonly confirm?: boolean;
}

/** The consent of one person. Times are epoch ms. */
export interface ConsentRow {
  readonly _id: string;
  readonly tenant_id: string;
  /** Digits with country code, or the hidden address (`…@lid`) while the number is unknown. */
  readonly subject: string;
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly note: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** When the person's statement was made, if it arrived late; absent if equal to `updated_at`. */
  readonly said_at?: number;
  /** Whether only the person or a team member may lift the opt-out; if absent, `source` decides. */
  readonly own?: boolean;
  /** Revision: a change is applied only if the row still has the revision that was read. */
  readonly seq: number;
  readonly outbox: readonly OutboxEntry[];
  readonly outbox_pending: boolean;
  /** Confirmations sent since `since`, limited to prevent loops between two machines. */
  readonly confirmed: { readonly since: number; readonly count: number };
  /** The import batch whose opt-in replaced an opt-out, while that is the last change. */
  readonly lifted_by: string | null;
}
