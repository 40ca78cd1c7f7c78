/** How many messages, by what became of them: `sent` is sent, delivered or read; `delivered` is delivered or read. */
export interface MessageCounts {
  readonly sent: number;
  readonly received: number;
  readonly delivered: number;
  readonly read: number;
  readonly failed: number;
}

/** One chat in a bucket. `key`: a keyed hash, so that nobody is named; `first_out`, `last_in`: epoch ms, null: none. */
export interface ChatActivity {
  readonly key: string;
  readonly first_out: number | null;
  readonly last_in: number | null;
  readonly received: number;
  /** Not a group or a channel. */
  readonly is_person: boolean;
}

/** What one author or one campaign sent in a bucket. */
export interface GroupFigures extends Omit<MessageCounts, 'received'> {
  readonly kind: 'agent' | 'blast';
  readonly id: string;
  /** The chats it went to, and when first, epoch ms. `is_new`: nothing was exchanged there before; of campaigns only. */
  readonly chats: readonly { readonly key: string; readonly first_out: number; readonly is_new?: true }[];
  /** Messages to numbers that the network does not know; absent: not counted. */
  readonly unknown?: number;
  /** How long customers waited for these first answers, ms. */
  readonly first_replies: readonly number[];
}

/** Messages that the gateway wrote by itself: AI replies, hand-offs to people, answers of rules. */
export interface MachineFigures {
  readonly ai: number;
  readonly handed_over: number;
  readonly matched: number;
}

/** All that is counted of a bucket. */
export interface BucketFigures extends MessageCounts {
  /** All messages that were there, waiting ones too unless a campaign may take them back: fewer later means that some were removed. */
  readonly rows: number;
  readonly chats: readonly ChatActivity[];
  readonly first_replies: readonly number[];
  readonly groups: readonly GroupFigures[];
  /** Absent: none, or counted by an earlier version. */
  readonly machine?: MachineFigures;
}

/** A quarter of an hour of one device, which is a part of a day in every time zone. */
export interface BucketRow {
  /** `<device>:<at / BUCKET_MS>`. */
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  /** When it begins, epoch ms. */
  readonly at: number;
  /** Counts the changes of its messages. */
  readonly mark: number;
  /** The mark that the figures were counted at: all changes up to it are in them. */
  readonly counted: number;
  readonly counted_at: number | null;
  /** It has to be counted, from then on (epoch ms); null: the figures are those of its messages. */
  readonly dirty_at: number | null;
  /** null: never counted. */
  readonly figures: BucketFigures | null;
  readonly expires_at: number;
}

export const BUCKET_MS = 15 * 60_000;

/** When the bucket of a moment begins, epoch ms. */
export const bucketAt = (at: number): number => Math.floor(at / BUCKET_MS) * BUCKET_MS;
