/** Number of messages by status: `sent` includes delivered and read, `delivered` includes read. */
export interface MessageCounts {
  readonly sent: number;
  readonly received: number;
  readonly delivered: number;
  readonly read: number;
  readonly failed: number;
}

/** `key`: a keyed hash that does not identify the person. Times in epoch ms; null if there was no such message. */
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
  /** `first_out` in epoch ms. `is_new`: the chat had no earlier messages; set for campaigns only. */
  readonly chats: readonly { readonly key: string; readonly first_out: number; readonly is_new?: true }[];
  /** Messages to numbers unknown to the network; absent if not counted. */
  readonly unknown?: number;
  /** How long customers waited for these first replies, ms. */
  readonly first_replies: readonly number[];
}

/** Automatic messages of the gateway: AI replies, hand-offs to people, rule replies. */
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
  /** Sum of the prices; null if a billed message has no known price. */
  readonly amount: number | null;
}

export interface BucketFigures extends MessageCounts {
  /** Number of all messages, including waiting ones. If it decreases, messages were removed. */
  readonly rows: number;
  readonly chats: readonly ChatActivity[];
  readonly first_replies: readonly number[];
  readonly groups: readonly GroupFigures[];
  /** Absent if there were no automatic messages, or in rows of earlier versions. */
  readonly machine?: MachineFigures;
  /** Absent if no message was priced. */
  readonly costs?: readonly CostFigures[];
}

/** A quarter of an hour of one device, which lies within one day in every time zone. */
export interface BucketRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** Start, epoch ms. */
  readonly at: number;
  readonly mark: number;
  /** The `mark` at which the figures were counted; they include all changes up to it. */
  readonly counted: number;
  readonly counted_at: number | null;
  /** When a count is due (epoch ms); null if the figures are current. */
  readonly dirty_at: number | null;
  /** null if never counted. */
  readonly figures: BucketFigures | null;
  readonly expires_at: number;
}

export const BUCKET_MS = 15 * 60_000;

/** Returns the start of a moment's bucket, epoch ms. */
export const bucketAt = (at: number): number => Math.floor(at / BUCKET_MS) * BUCKET_MS;
