import type { SafeText } from '../../runtime/safe-text.ts';
import type { Doc } from '../port.ts';
import type { ContentExtras } from './content-kinds.ts';

export type { Owner } from '../devices/owner.ts';

/** `sending` is internal: claimed by its device and perhaps on the wire; callers see `queued`. */
export type StoredStatus = 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'cancelled' | 'deleted';

export type MessageType = 'text' | 'image' | 'document' | 'audio' | 'video' | 'sticker' | 'location' | 'poll' | 'contact';

const WITHOUT_TEXT: ReadonlySet<string> = new Set<MessageType>(['audio', 'sticker']);

/** Does the network show a text with a message of this type? Where not, what is given as its caption is ignored, and not kept. */
export const hasText = (type: string): boolean => !WITHOUT_TEXT.has(type);

/** The type of a log entry: reactions have entries of their own. */
export type EntryType = MessageType | 'reaction';

/** A message's file, as it was when the message was stored. */
export interface MediaFacts {
  readonly content_type: string;
  readonly filename: string | null;
  /** Bytes. */
  readonly size: number;
  /** Of the bytes, hex. */
  readonly sha256: string;
  /** An audio message to be shown as spoken. */
  readonly voice_note?: boolean;
  /** What the network is given in its place (`DerivedRow`); absent: the file itself. */
  readonly sent?: { readonly key: string } & Pick<MediaFacts, 'content_type' | 'size' | 'sha256'>;
  /** What is known of the file as it is shown or heard. */
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly pages?: number;
  /** Of a voice note: 64 bytes of 0 to 100, base64. */
  readonly waveform?: string;
  /** A small JPEG, base64. */
  readonly thumbnail?: string;
  /** Of a sticker. */
  readonly animated?: true;
  readonly pack?: string;
  /** A video that plays in a loop, and one that is shown round. */
  readonly gif?: true;
  readonly round?: true;
  readonly view_once?: true;
  readonly hd?: true;
}

/** The preview of a link in a text. */
export interface LinkPreview {
  /** As it stands in the text. */
  readonly url: string;
  /** Nobody asked for it: only the real network has previews by default. */
  readonly by_default?: true;
  /** Absent: it is still to be fetched. */
  readonly title?: string;
  readonly description?: string;
  /** A small JPEG, base64. */
  readonly picture?: string;
  /** None could be had: the message goes without. */
  readonly failed?: true;
}

/** A preview as its caller wants it. */
export interface OwnPreview {
  readonly title: string;
  readonly description?: string;
  /** Default: the first link of the text. */
  readonly url?: string;
  readonly media_r2_key?: string;
}

/** The album that a picture or video belongs to. */
export interface AlbumPart {
  /** Of one of ours: what callers know the album by. */
  readonly id?: string;
  /** The network id of what holds it together. */
  readonly net_id: string;
  /** Of one of ours: how many it has of each. */
  readonly images?: number;
  readonly videos?: number;
}

/** What the platform says of the price of a message. `category` and `type` in lower case; `country`: ISO code of the recipient. */
export interface MessageCost {
  readonly category: string;
  readonly type: string;
  readonly billable: boolean;
  readonly country: string | null;
  /** Of the imported table that held then; null: no table has it. */
  readonly amount: number | null;
  readonly currency: string | null;
}

/** The target of a reaction. */
export interface ReactionFacts {
  /** The network id of the message. */
  readonly target: string;
  /** Our id of it; null: it had not come yet. */
  readonly message_id: string | null;
  /** When it was made, epoch ms: of one person's reactions to a message the latest holds. */
  readonly at: number;
}

/** The fields of the type beyond `body`. */
export interface MessageParts extends ContentExtras {
  readonly location?: { readonly lat: number; readonly lng: number };
  readonly contact?: { readonly name: string; readonly phone: string };
  readonly poll?: { readonly name: string; readonly choices: readonly string[] };
  /** Of image, video, audio, document and sticker; `body` is the caption. */
  readonly media?: MediaFacts;
  /** Addresses of people who are named in the text. */
  readonly mentions?: readonly string[];
  /** Of one that came in and quotes another: our id of that; null: it is not in the log. */
  readonly reply_to?: string | null;
  /** Whether to show a preview of the first link in the text, as the caller said; `preview` is what came of it. */
  readonly link_preview?: boolean | OwnPreview;
  readonly preview?: LinkPreview;
  readonly album?: AlbumPart;
  /** It invites this person to a group; `code` is for them only. */
  readonly invite?: { readonly group_id: string; readonly subject: string; readonly code: string; readonly expires_at: number };
  /** Of a status: the addresses of those who may see it, and the colour behind its text (`#RRGGBB`). */
  readonly story?: { readonly audience: readonly string[]; readonly background?: string };
  /** What only the official platform sends: the vendor's own objects. */
  readonly official?: {
    readonly template?: Readonly<Record<string, unknown>>;
    readonly interactive?: Readonly<Record<string, unknown>>;
  };
  /** Of a reaction; `body` is the emoji, '' where it was taken back, null where its entry was deleted. */
  readonly reaction?: ReactionFacts;
}

/** A lower lane goes first: replies, scheduled messages, campaigns. */
export const LANES = { reply: 0, scheduled: 1, campaign: 2 } as const;

/** Added to the lane of a first contact: these wait behind everything else. */
export const FIRST_CONTACT = 10;

/** What an AI reply stands on. */
export interface AiSource {
  readonly kind: 'answer' | 'document';
  /** The saved answer or the document. */
  readonly id: string;
  /** The question of an answer, the name of a document. */
  readonly name: string;
  readonly text: string;
  /** The share of the question's weight that it covers, 0–1. */
  readonly score: number;
}

/** Why an AI reply was given. */
export interface AiFacts {
  readonly engine: 'engine_a' | 'local';
  readonly score: number;
  readonly threshold: number;
  readonly sources: readonly AiSource[];
}

/** The origin of a message that was not sent by a call of its own, and the record that waits for its outcome. */
export interface Origin {
  readonly kind: 'scheduled' | 'recurring';
  readonly id: string;
  /** Which run of a recurring message. */
  readonly run?: string;
}

/** Something that happens to a message once, `sent` once for each try that a retry begins. An edit is named by its network id. */
export type Milestone = 'received' | 'sent' | 'delivered' | 'read' | `edited ${string}` | 'deleted';

/** The network refused a message for the moment, once or more often. Times are epoch ms. */
export interface Backoff {
  /** The network's numbers, each once. */
  readonly codes: readonly number[];
  /** How often it was refused. */
  readonly tries: number;
  /** The first refusal. */
  readonly since: number;
  /** It is not sent before then. */
  readonly until: number;
}

/** One message, either way. Times are epoch ms. */
export interface MessageRow {
  readonly _id: string;
  readonly tenant_id: string;
  readonly session_id: string;
  readonly direction: 'inbound' | 'outbound';
  /** Full address of the conversation. */
  readonly chat_id: string;
  /** Who wrote an inbound one; null for our own. */
  readonly sender: string | null;
  readonly sender_name: string | null;
  readonly message_type: EntryType;
  readonly body: SafeText | null;
  readonly parts: MessageParts;
  readonly media_r2_key: string | null;
  readonly status: StoredStatus;
  readonly error: string | null;
  /** The network's id for it, chosen by us before the first try for outbound ones. Unique per device, chat and author: see net-ids.ts. */
  readonly net_id: string;
  /** Names its chat and author where another message of its device had its network id before; absent: it is the first. */
  readonly twin?: string;
  /** Written on the phone to a broadcast list of the number's owner: that list. */
  readonly list?: string;
  /** The network id of the quoted message. */
  readonly quotes: string | null;
  /** −1: it came in and is not the first with its network id (net-ids.ts). */
  readonly lane: number;
  /** 0–9 within its lane, higher first. */
  readonly priority: number;
  /** The device owner that claimed it last; 0: none yet. */
  readonly epoch: number;
  /** Absent: the network never refused it for the moment. */
  readonly backoff?: Backoff;
  /** How often it was handed to the network. */
  readonly attempts: number;
  /** How often a message of an official number was retried; absent: never. */
  readonly retries?: number;
  /** What it cost on the official platform; absent: not known, or nothing does. */
  readonly cost?: MessageCost;
  /** Of an AI reply. */
  readonly ai?: AiFacts;
  /** Who wrote it here: an agent, or the tenant for its owner; absent: an API key or the gateway itself. */
  readonly written_by?: string;
  /** The API key that sent it, the online store that it is about, a rule, or a hand-off to people; absent: none of them, or stored by an earlier version. */
  readonly made_by?: { readonly kind: 'api_key' | 'store' | 'rule' | 'hand_off'; readonly id: string | null };
  /** The gateway answered by itself: a rule, a confirmation of consent, the notice of a hand-off. */
  readonly automatic?: true;
  /** When the network says that an inbound one was written, where that was long before it came; epoch ms. */
  readonly told_at?: number;
  /** Of an inbound one of an official number: free text may answer until then; epoch ms. */
  readonly window_until?: number;
  /** Its purpose, unless it was sent by a call of its own. */
  readonly origin?: Origin;
  /** The month (`YYYY-MM`) whose quota it took; null: none. */
  readonly quota_month: string | null;
  /** It never left, and the quota that it took is being given back under this name: `<ULID>:<month>`. */
  readonly refund?: string;
  /** Something has to follow from its last change (its chat, its events) and perhaps did not yet: see actors/services/messaging/outbox-processor.ts. */
  readonly outbox_pending: boolean;
  /** Counts the changes that owe something, so that settling an old one does not settle a newer one. */
  readonly rev: number;
  /** What had happened to it when its outbox was processed last; absent: it was not yet. */
  readonly processed?: readonly Milestone[];
  readonly created_at: number;
  /** Of a campaign or a recurring send: an opt-out stops it while it waits. */
  readonly marketing?: true;
  /** Not sent after it; absent: never too late. */
  readonly expires_at?: number;
  readonly claimed_at: number | null;
  /** Retried: since when it may have left after all, whatever else it failed with since. Absent: it certainly had not. */
  readonly unknown_since?: number;
  readonly sent_at: number | null;
  readonly delivered_at: number | null;
  readonly read_at: number | null;
  /** The number's owner wrote it on their phone, or on another device of theirs: this gateway only learned of it. */
  readonly from_phone?: true;
  /** It was written before its device was linked, and had no consequences; false: the network delivered it as new after that. */
  readonly history?: boolean;
  /** Where its file lies on the network, as its driver knows it; null: it was fetched, or is gone. */
  readonly deferred_media?: Readonly<Record<string, unknown>> | null;
  /** Of a post in a channel: the network's number of it there, by which it is reacted to and counted. */
  readonly server_id?: string;
  /** The campaign that it belongs to. */
  readonly blast_id?: string;
  /** When its text was changed last, and the network id of that change; absent: never. */
  readonly edited_at?: number;
  readonly edit_id?: string;
  /** When it was deleted, for everyone or here only: then `status` is `deleted`, and what it said is gone. */
  readonly deleted_at?: number;
  /** Of a disappearing message (`parts.ephemeral`) that left or came in: when what it says goes from here. Absent: never. */
  readonly vanishes_at?: number;
  /** Of one that we wrote: when the timer of its chat was set, by the network's clock. */
  readonly timer_at?: number;
  /** With it what is done to the message is sealed; sealed itself for this row. Absent or null: none, or it is over (message-secrets.ts). */
  readonly secret?: string | null;
  /** The hidden address (`…@lid`) that it was written from, where the network uses that. */
  readonly sender_lid?: string;
  /** In a chat of two: the name by which the network knows its person, without `@`. */
  readonly sender_username?: string;
}

/** The network delivered it, and its file with it: nobody sent it through this gateway. */
export const isFromNetwork = (row: Doc & { readonly direction?: unknown; readonly from_phone?: unknown }): boolean =>
  row.direction === 'inbound' || row.from_phone === true;
