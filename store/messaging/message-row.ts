import type { SafeText } from '../../runtime/safe-text.ts';
import type { Doc } from '../port.ts';
import type { ContentExtras } from './content-kinds.ts';

export type { Owner } from '../devices/owner.ts';

/** `sending` is internal: claimed, and perhaps on the wire. Callers see `queued`. */
export type StoredStatus = 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'cancelled' | 'deleted';

export type MessageType = 'text' | 'image' | 'document' | 'audio' | 'video' | 'sticker' | 'location' | 'poll' | 'contact';

const WITHOUT_TEXT: ReadonlySet<string> = new Set<MessageType>(['audio', 'sticker']);

/** Whether the network shows a text with this message type; if not, captions are not stored. */
export const hasText = (type: string): boolean => !WITHOUT_TEXT.has(type);

export type EntryType = MessageType | 'reaction';

export interface MediaFacts {
  readonly content_type: string;
  readonly filename: string | null;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the file, hex. */
  readonly sha256: string;
  readonly voice_note?: boolean;
  /** The converted file that is sent instead (`DerivedRow`). Absent if the file itself is sent. */
  readonly sent?: { readonly key: string } & Pick<MediaFacts, 'content_type' | 'size' | 'sha256'>;
  /** Duration, size in pixels and page count, if known. */
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  /** Waveform of a voice note: 64 bytes of 0 to 100, base64. */
  readonly waveform?: string;
  /** A small JPEG, base64. */
  readonly thumbnail?: string;
  readonly animated?: true;
  readonly pack?: string;
  /** `gif`: the video plays in a loop; `round`: it is shown as a circle. */
  readonly gif?: true;
  readonly round?: true;
  readonly view_once?: true;
  readonly hd?: true;
}

export interface LinkPreview {
  readonly url: string;
  /** Set when the caller did not request the preview. Only the real network has previews by default. */
  readonly by_default?: true;
  /** Absent until the preview has been fetched. */
  readonly title?: string;
  readonly description?: string;
  /** A small JPEG, base64. */
  readonly picture?: string;
  /** No preview could be fetched; the message is sent without one. */
  readonly failed?: true;
}

export interface OwnPreview {
  readonly title: string;
  readonly description?: string;
  /** Default: the first link of the text. */
  readonly url?: string;
  readonly media_r2_key?: string;
}

export interface AlbumPart {
  readonly id?: string;
  readonly net_id: string;
  readonly images?: number;
  readonly videos?: number;
}

/** The reported price. `category` and `type` in lower case; `country`: the recipient's ISO code. */
export interface MessageCost {
  readonly category: string;
  readonly type: string;
  readonly billable: boolean;
  readonly country: string | null;
  /** Price from the table valid at that time, 0 for a free message; null if no table has a price. */
  readonly amount: number | null;
  readonly currency: string | null;
}

export interface ReactionFacts {
  readonly target: string;
  /** Our id of the message; null if the message had not arrived yet. */
  readonly message_id: string | null;
  /** When the person reacted, epoch ms. The latest reaction of each person counts. */
  readonly at: number;
}

export interface MessageParts extends ContentExtras {
  readonly location?: { readonly lat: number; readonly lng: number };
  readonly contact?: { readonly name: string; readonly phone: string };
  readonly poll?: { readonly name: string; readonly choices: readonly string[] };
  readonly media?: MediaFacts;
  readonly mentions?: readonly string[];
  /** Our id of the message that an inbound message quotes; null if that message is not in the log. */
  readonly reply_to?: string | null;
  /** The caller's choice of link preview; `preview` holds the result. */
  readonly link_preview?: boolean | OwnPreview;
  readonly preview?: LinkPreview;
  readonly album?: AlbumPart;
  /** An invitation to a group for this person. `code` works for this person only. */
  readonly invite?: { readonly group_id: string; readonly subject: string; readonly code: string; readonly expires_at: number };
  /** For a status: its viewers' addresses and the text's background colour (`#RRGGBB`). */
  readonly story?: { readonly audience: readonly string[]; readonly background?: string };
  /** Content that only the official platform sends, as the vendor's own objects. */
  readonly official?: {
    readonly template?: Readonly<Record<string, unknown>>;
    readonly interactive?: Readonly<Record<string, unknown>>;
  };
  /** `body` is the emoji, '' if the reaction was removed, null if its entry was deleted. */
  readonly reaction?: ReactionFacts;
}

/** Lower lanes are sent first: replies, scheduled messages, campaigns. */
export const LANES = { reply: 0, scheduled: 1, campaign: 2 } as const;

/** Added to the lane of a first contact, so that it waits behind everything else. */
export const FIRST_CONTACT = 10;

export interface AiSource {
  readonly kind: 'answer' | 'document';
  readonly id: string;
  /** The question of a saved answer, or the name of a document. */
  readonly name: string;
  readonly text: string;
  /** The share of the question's weight that the source covers, 0–1. */
  readonly score: number;
}

export interface AiFacts {
  readonly engine: 'engine_a' | 'local';
  readonly score: number;
  readonly threshold: number;
  readonly sources: readonly AiSource[];
}

/** The scheduled or recurring record that created the message and waits for its outcome. */
export interface Origin {
  readonly kind: 'scheduled' | 'recurring';
  readonly id: string;
  readonly run?: string;
}

/** Milestone that a message reaches once; a retry allows another `sent`. Edits include their network id. */
export type Milestone = 'received' | 'sent' | 'delivered' | 'read' | `edited ${string}` | 'deleted';

/** The network's temporary refusals of a message. Times are epoch ms. */
export interface Backoff {
  /** The network's error codes, without duplicates. */
  readonly codes: readonly number[];
  readonly tries: number;
  readonly since: number;
  readonly until: number;
  /** The official platform's limit that delays the message; absent for other refusals. */
  readonly limit?: PlatformLimit;
}

/** New people per day, messages to one person, or spam reports. */
export type PlatformLimit = 'tier' | 'pair' | 'spam_limit';

/** One inbound or outbound message. Times are epoch ms. */
export interface MessageRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly direction: 'inbound' | 'outbound';
  readonly chat_id: string;
  /** Author of an inbound message; null for our own. */
  readonly sender: string | null;
  readonly sender_name: string | null;
  readonly message_type: EntryType;
  readonly body: SafeText | null;
  readonly parts: MessageParts;
  readonly media_r2_key: string | null;
  readonly status: StoredStatus;
  readonly error: string | null;
  /** The network's id; for outbound messages, chosen here before the first attempt (net-ids.ts). */
  readonly net_id: string;
  /** Hash of chat and author, set when another message of the device had the network id first. */
  readonly twin?: string;
  /** The broadcast list that the number's owner sent the message to from the phone. */
  readonly list?: string;
  readonly quotes: string | null;
  /** −1 for an inbound message that is not the first with its network id (net-ids.ts). */
  readonly lane: number;
  /** 0–9 within the lane; higher priorities are sent first. */
  readonly priority: number;
  /** Epoch of the device owner that last claimed the message; 0 if it was never claimed. */
  readonly epoch: number;
  /** Absent if the network never refused the message temporarily. */
  readonly backoff?: Backoff;
  readonly attempts: number;
  /** Number of retries of an official number's message; absent if it was not retried. */
  readonly retries?: number;
  /** Set while the official platform holds the message to review its template. */
  readonly held?: true;
  /** Cost on the official platform; absent if unknown or free. */
  readonly cost?: MessageCost;
  readonly ai?: AiFacts;
  /** An agent, or the tenant for its owner. Absent for an API key or the gateway itself. */
  readonly written_by?: string;
  /** The key, store, rule or hand-off behind the message. Absent for other causes and in rows of earlier versions. */
  readonly made_by?: { readonly kind: 'api_key' | 'store' | 'rule' | 'hand_off'; readonly id: string | null };
  readonly automatic?: true;
  /** When the network says that a late inbound message was written, epoch ms. */
  readonly told_at?: number;
  /** For official numbers: until when the message may be answered with free text, epoch ms. */
  readonly window_until?: number;
  /** The origin of a message that was not sent by its own API call. */
  readonly origin?: Origin;
  /** The month (`YYYY-MM`) whose quota the message used; null if it did not use the quota. */
  readonly quota_month: string | null;
  /** Name of the open refund (`<ULID>:<month>`) for a message that was never sent. */
  readonly refund?: string;
  /** Whether consequences may not be stored yet (actors/services/messaging/outbox-processor.ts). */
  readonly outbox_pending: boolean;
  /** Counts changes with consequences: settling an older one does not settle a newer one. */
  readonly rev: number;
  /** Milestones when the outbox was last processed; absent before that. */
  readonly processed?: readonly Milestone[];
  readonly created_at: number;
  /** Set for a campaign or a recurring send: an opt-out stops the message while it waits. */
  readonly marketing?: true;
  /** The message is not sent after this time; absent if it never expires. */
  readonly expires_at?: number;
  readonly claimed_at: number | null;
  /** For a retried message: since when an earlier attempt may have been sent after all. Absent if none was sent. */
  readonly unknown_since?: number;
  readonly sent_at: number | null;
  readonly delivered_at: number | null;
  readonly read_at: number | null;
  /** Set when the owner of the number wrote the message on their phone or another linked device. */
  readonly from_phone?: true;
  /** true: written before its device was linked, without consequences. false: delivered as new later. */
  readonly history?: boolean;
  /** The file's location in the driver's format; null if the file was fetched or is gone. */
  readonly deferred_media?: Readonly<Record<string, unknown>> | null;
  /** The network's number for a channel post, used for reactions and view counts. */
  readonly server_id?: string;
  readonly blast_id?: string;
  /** When the message was last edited, and the edit's network id; absent if it was never edited. */
  readonly edited_at?: number;
  readonly edit_id?: string;
  /** When the message was deleted (for everyone or here only); `status` is then `deleted` and the content removed. */
  readonly deleted_at?: number;
  /** Whether the owner starred the message on the phone, and when that last changed; absent if never. */
  readonly starred?: boolean;
  readonly starred_at?: number;
  /** When the owner deleted the message on the phone for themselves only; absent if they did not. */
  readonly removed_at?: number;
  /** When a disappearing message's content is removed here; absent if it is kept. */
  readonly vanishes_at?: number;
  /** For our own message: when the chat's timer was set, by the network's clock. */
  readonly timer_at?: number;
  /** Sealed key for this message's edits, reactions and comments; absent or null if unknown or removed. */
  readonly secret?: string | null;
  /** The hidden address (`…@lid`) of the sender, where the network uses one. */
  readonly sender_lid?: string;
  /** In a direct chat: the person's network username, without `@`. */
  readonly sender_username?: string;
}

/** Whether the message came from the network and was not sent through this gateway. */
export const isFromNetwork = (row: Doc & { readonly direction?: unknown; readonly from_phone?: unknown }): boolean =>
  row.direction === 'inbound' || row.from_phone === true;
