/** `sending` is internal: claimed by its device and perhaps on the wire; callers see `queued`. */
export type StoredStatus = 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'cancelled' | 'deleted';

export type MessageType = 'text' | 'image' | 'document' | 'audio' | 'video' | 'sticker' | 'location' | 'poll' | 'contact';

/** What a log entry is of: reactions are entries of their own. */
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
}

/** What a reaction is to. */
export interface ReactionFacts {
  /** The network id of the message. */
  readonly target: string;
  /** Our id of it; null: it had not come yet. */
  readonly message_id: string | null;
  /** When it was made, epoch ms: of one person's reactions to a message the latest holds. */
  readonly at: number;
}

/** What the type needs beyond `body`. */
export interface MessageParts {
  readonly location?: { readonly lat: number; readonly lng: number };
  readonly contact?: { readonly name: string; readonly phone: string };
  readonly poll?: { readonly name: string; readonly choices: readonly string[] };
  /** Of image, video, audio, document and sticker; `body` is the caption. */
  readonly media?: MediaFacts;
  /** Addresses of people who are named in the text. */
  readonly mentions?: readonly string[];
  /** Shows a preview of the first link in the text. */
  readonly link_preview?: boolean;
  /** Of a reaction; `body` is the emoji, '' where it was taken back. */
  readonly reaction?: ReactionFacts;
}

/** Lower goes first (design.md "Actors": reply > scheduled > blast). */
export const LANES = { reply: 0, scheduled: 1, blast: 2 } as const;

/** Where a message comes from that nobody sent at that moment, and what waits for its end. */
export interface Origin {
  readonly kind: 'scheduled' | 'recurring';
  readonly id: string;
}

/** One message, either way (spec.md "Message" and "Message log entries"). Times are epoch ms. */
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
  readonly body: string | null;
  readonly parts: MessageParts;
  readonly media_r2_key: string | null;
  readonly status: StoredStatus;
  readonly error: string | null;
  /** The network's id for it, chosen by us before the first try for outbound ones. Unique per device. */
  readonly net_id: string;
  /** The network id of the quoted message. */
  readonly quotes: string | null;
  readonly lane: number;
  /** 0–9 within its lane, higher first. */
  readonly priority: number;
  /** The device owner that claimed it last; 0: nobody yet. */
  readonly epoch: number;
  /** How often it was handed to the network. */
  readonly attempts: number;
  /** What it was sent for, where that was not a call of its own. */
  readonly origin?: Origin;
  /** The month (`YYYY-MM`) whose quota it took; null: none. */
  readonly quota_month: string | null;
  /** Something has to follow from its last change (its chat, its events) and perhaps did not yet: see actors/follow-ups.ts. */
  readonly owes: boolean;
  /** Counts the changes that owe something, so that settling an old one does not settle a newer one. */
  readonly rev: number;
  readonly created_at: number;
  /** Of a blast or a recurring send: an opt-out stops it while it waits. */
  readonly marketing?: true;
  /** Not sent after it; absent: never too late. */
  readonly expires_at?: number;
  readonly claimed_at: number | null;
  readonly sent_at: number | null;
  readonly delivered_at: number | null;
  readonly read_at: number | null;
  /** The number's owner wrote it on their phone, or on another device of theirs: this gateway only heard of it. */
  readonly from_phone?: true;
  /** It was said before its device was linked, and nothing followed from it; false: the network brought it as a new one after that. */
  readonly history?: boolean;
  /** Where its file lies on the network, as its driver knows it; null: it was fetched, or is gone. */
  readonly left_file?: Readonly<Record<string, unknown>> | null;
  /** The campaign that it belongs to. */
  readonly blast_id?: string;
  /** When its text was changed last, and the network id of that change; absent: never. */
  readonly edited_at?: number;
  readonly edit_id?: string;
  /** When it was deleted for everyone: then `status` is `deleted`, and what it said is gone. */
  readonly deleted_at?: number;
  /** The hidden address (`…@lid`) that it was written from, where the network uses that. */
  readonly sender_lid?: string;
}

/** What a device owner presents with each write: which device, and since which change of owner. */
export interface Owner {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly epoch: number;
}
