/** `sent` includes delivered and read messages, `delivered` includes read ones. */
export interface MessageCounts {
  readonly sent: number;
  readonly received: number;
  readonly delivered: number;
  readonly read: number;
  readonly failed: number;
}

/** `key` is a keyed hash that does not identify the person. */
export interface ChatActivity {
  readonly key: string;
  readonly first_out: number | null;
  readonly last_in: number | null;
  readonly received: number;
  readonly is_person: boolean;
}

export interface GroupFigures extends Omit<MessageCounts, 'received'> {
  readonly kind: 'agent' | 'blast';
  readonly id: string;
  /** `is_new` is true if the chat had no earlier messages. It is present for campaigns only. */
  readonly chats: readonly { readonly key: string; readonly first_out: number; readonly is_new?: true }[];
  /** Number of messages to numbers unknown to the network; absent if not counted. */
  readonly unknown?: number;
  readonly first_replies: readonly number[];
  /** Present for campaigns only. */
  readonly costs?: readonly CostFigures[];
}

export interface MachineFigures {
  readonly ai: number;
  readonly handed_over: number;
  readonly matched: number;
}

export interface CostFigures {
  readonly category: string;
  readonly country: string | null;
  readonly currency: string | null;
  readonly automatic: boolean;
  readonly billed: number;
  readonly free: number;
  readonly amount: number | null;
}

export interface BucketFigures extends MessageCounts {
  /** Number of all messages, including waiting ones. If it decreases, messages were removed. */
  readonly rows: number;
  readonly chats: readonly ChatActivity[];
  readonly first_replies: readonly number[];
  readonly groups: readonly GroupFigures[];
  readonly machine?: MachineFigures;
  readonly costs?: readonly CostFigures[];
}

/** A device's figures for a quarter of an hour. No quarter crosses midnight in any time zone. */
export interface BucketRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly at: number;
  readonly mark: number;
  /** The value of `mark` when the figures were counted. They include all changes up to it. */
  readonly counted: number;
  readonly counted_at: number | null;
  /** When the next count is due (epoch ms); null if the figures are current. */
  readonly dirty_at: number | null;
  readonly figures: BucketFigures | null;
  readonly expires_at: number;
}

export const BUCKET_MS = 15 * 60_000;

export const bucketAt = (at: number): number => Math.floor(at / BUCKET_MS) * BUCKET_MS;
