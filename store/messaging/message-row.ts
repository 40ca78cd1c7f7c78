import type { SafeText } from '../../runtime/safe-text.ts';
import type { Doc } from '../port.ts';
import type { ContentExtras } from './content-kinds.ts';

export type { Owner } from '../devices/owner.ts';

/** `sending` is internal: the message is claimed and may be on the wire. Callers see `queued`. */
export type StoredStatus = 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'cancelled' | 'deleted';

export type MessageType = 'text' | 'image' | 'document' | 'audio' | 'video' | 'sticker' | 'location' | 'poll' | 'contact';

const WITHOUT_TEXT: ReadonlySet<string> = new Set<MessageType>(['audio', 'sticker']);

export const hasText = (type: string): boolean => !WITHOUT_TEXT.has(type);

export type EntryType = MessageType | 'reaction';

export interface MediaFacts {
  readonly content_type: string;
  readonly filename: string | null;
  readonly size: number;
  readonly sha256: string;
  readonly voice_note?: boolean;
  readonly sent?: { readonly key: string } & Pick<MediaFacts, 'content_type' | 'size' | 'sha256'>;
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  /** 64 bytes with values from 0 to 100, in base64. */
  readonly waveform?: string;
  readonly thumbnail?: string;
  readonly animated?: true;
  readonly pack?: string;
  /** `gif`: the video plays in a loop. `round`: the video is shown as a circle. */
  readonly gif?: true;
  readonly round?: true;
  readonly view_once?: true;
  readonly hd?: true;
}

export interface LinkPreview {
  readonly url: string;
  /** True if the caller did not ask for the preview. By default only the real network has previews. */
  readonly by_default?: true;
  readonly title?: string;
  readonly description?: string;
  readonly picture?: string;
  readonly failed?: true;
}

export interface OwnPreview {
  readonly title: string;
  readonly description?: string;
  readonly url?: string;
  readonly media_r2_key?: string;
}

export interface AlbumPart {
  readonly id?: string;
  readonly net_id: string;
  readonly images?: number;
  readonly videos?: number;
}

/** The reported cost. `category` and `type` are in lower case; `country` is the recipient's. */
export interface MessageCost {
  readonly category: string;
  readonly type: string;
  readonly billable: boolean;
  readonly country: string | null;
  /**
   * The price according to the table that was valid at that time. 0 for a free message; null if no
   * table has a price.
   */
  readonly amount: number | null;
  readonly currency: string | null;
}

export interface ReactionFacts {
  readonly target: string;
  readonly message_id: string | null;
  readonly at: number;
}

export interface MessageParts extends ContentExtras {
  readonly location?: { readonly lat: number; readonly lng: number };
  readonly contact?: { readonly name: string; readonly phone: string };
  readonly poll?: { readonly name: string; readonly choices: readonly string[] };
  readonly media?: MediaFacts;
  readonly mentions?: readonly string[];
  /** Null if the quoted message is not in this log. */
  readonly reply_to?: string | null;
  readonly link_preview?: boolean | OwnPreview;
  readonly preview?: LinkPreview;
  readonly album?: AlbumPart;
  readonly invite?: { readonly group_id: string; readonly subject: string; readonly code: string; readonly expires_at: number };
  /** The viewers' addresses, and the background colour of a text (`#RRGGBB`). */
  readonly story?: { readonly audience: readonly string[]; readonly background?: string };
  readonly official?: {
    readonly template?: Readonly<Record<string, unknown>>;
    readonly interactive?: Readonly<Record<string, unknown>>;
  };
  /** `body` is the emoji, '' if the reaction was removed, or null if its entry was deleted. */
  readonly reaction?: ReactionFacts;
}

export const LANES = { reply: 0, scheduled: 1, campaign: 2 } as const;

/** Added to the lane number for a first contact, so that the message waits behind all others. */
export const FIRST_CONTACT = 10;

export interface AiSource {
  readonly kind: 'answer' | 'document';
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly score: number;
}

export interface AiFacts {
  readonly engine: 'engine_a' | 'local';
  readonly score: number;
  readonly threshold: number;
  readonly sources: readonly AiSource[];
}

export interface Origin {
  readonly kind: 'scheduled' | 'recurring';
  readonly id: string;
  readonly run?: string;
}

/**
 * Each milestone is reached once per message, except that a retried message can reach `sent` again.
 * An edit's milestone contains the edit's network id.
 */
export type Milestone = 'received' | 'sent' | 'delivered' | 'read' | `edited ${string}` | 'deleted';

export interface Backoff {
  readonly codes: readonly number[];
  readonly tries: number;
  readonly since: number;
  readonly until: number;
  readonly limit?: PlatformLimit;
}

/** The exceeded limit: new people per day, messages to one person, or spam reports. */
export type PlatformLimit = 'tier' | 'pair_limit' | 'spam_limit';

export interface MessageRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly chat_id: string;
  readonly sender: string | null;
  readonly sender_name: string | null;
  readonly message_type: EntryType;
  readonly body: SafeText | null;
  readonly parts: MessageParts;
  readonly media_r2_key: string | null;
  readonly status: StoredStatus;
  readonly error: string | null;
  /** The network's message id. For outbound messages it is chosen here before the first attempt. */
  readonly net_id: string;
  /** Hash of chat and author, present if another message of the device already had the network id. */
  readonly twin?: string;
  readonly list?: string;
  readonly quotes: string | null;
  /** −1 for an inbound message if another message already had its network id (net-ids.ts). */
  readonly lane: number;
  /** 0 to 9. Within a lane, higher priorities are sent first. */
  readonly priority: number;
  /** Epoch of the device owner that last claimed the message, or 0 if none has. */
  readonly epoch: number;
  readonly backoff?: Backoff;
  readonly attempts: number;
  readonly retries?: number;
  readonly held?: true;
  readonly cost?: MessageCost;
  readonly ai?: AiFacts;
  /** The agent's id, or the tenant's id for its owner. Absent for an API key or the gateway itself. */
  readonly written_by?: string;
  readonly made_by?: { readonly kind: 'api_key' | 'store' | 'rule' | 'hand_off'; readonly id: string | null };
  readonly automatic?: true;
  /** Time when an inbound message that arrived late was written, by the network's clock. */
  readonly told_at?: number;
  readonly window_until?: number;
  readonly origin?: Origin;
  readonly quota_month: string | null;
  /** Name of the open refund (`<ULID>:<month>`) for a message that was not sent. */
  readonly refund?: string;
  /**
   * True if the consequences of a change, such as events, may not be stored yet
   * (actors/services/messaging/outbox-processor.ts).
   */
  readonly outbox_pending: boolean;
  /**
   * Counts changes that have consequences, such as events. Processing an older change does not mark
   * a newer one as processed.
   */
  readonly rev: number;
  readonly processed?: readonly Milestone[];
  readonly created_at: number;
  /** True for a campaign or recurring message, which an opt-out stops while it waits. */
  readonly marketing?: true;
  readonly expires_at?: number;
  readonly claimed_at: number | null;
  /** For a retried message: the time from which an earlier attempt may have been sent after all. */
  readonly unknown_since?: number;
  readonly sent_at: number | null;
  readonly delivered_at: number | null;
  readonly read_at: number | null;
  /** Present if the number's owner wrote the message on their phone or another linked device. */
  readonly from_phone?: true;
  /**
   * True if the message was imported from the history and triggers nothing. False if it was
   * imported and then delivered normally.
   */
  readonly history?: boolean;
  readonly deferred_media?: Readonly<Record<string, unknown>> | null;
  readonly server_id?: string;
  readonly blast_id?: string;
  readonly edited_at?: number;
  readonly edit_id?: string;
  /** When the message was deleted, for everyone or only here. Its content is then removed. */
  readonly deleted_at?: number;
  readonly starred?: boolean;
  readonly starred_at?: number;
  readonly removed_at?: number;
  readonly vanishes_at?: number;
  /** For our own message: the time when the chat's timer was set, by the network's clock. */
  readonly timer_at?: number;
  readonly secret?: string | null;
  readonly sender_lid?: string;
  readonly sender_username?: string;
}

export const isFromNetwork = (row: Doc & { readonly direction?: unknown; readonly from_phone?: unknown }): boolean =>
  row.direction === 'inbound' || row.from_phone === true;
