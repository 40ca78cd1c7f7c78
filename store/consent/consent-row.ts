export type ConsentStatus = 'opted_in' | 'opted_out';

/** `network`: the person stopped or resumed marketing messages in the network's own app. */
export type ConsentSource = 'keyword' | 'dashboard' | 'import' | 'api' | 'network' | 'privacy_erasure';

export interface HistoryEntry {
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly note: string | null;
  readonly at: number;
}

export interface OutboxEntry extends HistoryEntry {
  readonly seq: number;
  readonly was: ConsentStatus | null;
  /** Id of the message that caused the change. After a crash it may be processed again. */
  readonly cause?: string;
  readonly session_id?: string;
  readonly confirm?: boolean;
}

export interface ConsentRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly subject: string;
  readonly status: ConsentStatus;
  readonly source: ConsentSource;
  readonly note: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  /** Time of the person's statement, if it arrived late. */
  readonly said_at?: number;
  /** True if only the person or a team member may lift the opt-out. If absent, `source` decides. */
  readonly own?: boolean;
  readonly seq: number;
  readonly outbox: readonly OutboxEntry[];
  readonly outbox_pending: boolean;
  /** Recent confirmations, counted to prevent loops between two automatic systems. */
  readonly confirmed: { readonly since: number; readonly count: number };
  /** The import batch that lifted an opt-out, as long as that is the latest change. */
  readonly lifted_by: string | null;
}
