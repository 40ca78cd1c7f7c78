import type { Readable } from 'node:stream';

/**
 * The network port: what a device needs of a messaging network. A driver is a folder beside this file (`sandbox/`,
 * `whatsapp/`) and passes the contract suite in test/network. Abilities that not every driver has will be small
 * interfaces of their own that a Line may also implement, discovered by a type test.
 */
export interface Network {
  readonly name: 'sandbox' | 'whatsapp';
  /**
   * Opens one login. Returns at once; everything that happens is heard, in order, ending with exactly one `closed`.
   * Nothing is heard synchronously inside this call, and nothing after `closed`.
   */
  open(order: OpenOrder, hear: (event: LineEvent) => void): Line;
  /** Closes every line and lets go of all resources. */
  shutdown(): Promise<void>;
}

export interface OpenOrder {
  readonly deviceId: string;
  /** null: link a new phone (codes are heard). */
  readonly credentials: Credentials | null;
  readonly proxyUrl: string | null;
}

/** What a driver needs to log in again: JSON that only the driver understands. */
export type Credentials = Readonly<Record<string, unknown>>;

/** One open login. Every method is safe to call after the line closed: sends are dropped, asks reject with Refusal NOT_CONNECTED. */
export interface Line {
  /**
   * Writes one message. The network's own word on it is heard later as `acked` or `refused`; a line that closes first leaves it unknown.
   * `open` gives the bytes of a file, which leaves when it was read: later messages may overtake it.
   */
  send(message: OutgoingMessage, open?: OpenFile): void;
  /** Tells the network that an inbound message is stored: until then it delivers it again after each login. */
  acknowledge(netId: string): void;
  /** The bytes of an inbound message's file. Rejects with Refusal NOT_FOUND when the network has them no more. */
  download(file: FileReference): Promise<Readable>;
  /** Links without a camera: the code to type on the phone `digits`. Only while linking. */
  pairingCode(digits: string): Promise<{ readonly code: string; readonly expiresAt: number }>;
  /** Which of these numbers (digits) are on the network. */
  lookUp(digits: readonly string[]): Promise<readonly { readonly phone: string; readonly exists: boolean; readonly jid: string | null }[]>;
  /** Unlinks this device from its phone for good; `closed` 401 follows. */
  logOut(): Promise<void>;
  /** Ends the connection without unlinking; `closed` follows with code 1000. */
  close(): void;
}

export type Content =
  | { readonly type: 'text'; readonly body: string }
  | { readonly type: 'location'; readonly lat: number; readonly lng: number }
  | { readonly type: 'contact'; readonly name: string; readonly phone: string }
  | { readonly type: 'poll'; readonly name: string; readonly choices: readonly string[] }
  | FileContent;

export interface FileContent {
  readonly type: 'image' | 'video' | 'audio' | 'document' | 'sticker';
  readonly file: FileFacts;
  readonly caption: string | null;
  /** Audio that is shown as spoken. */
  readonly voiceNote: boolean;
}

export interface FileFacts {
  readonly contentType: string;
  readonly filename: string | null;
  /** Bytes. */
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/** What a driver needs to fetch a file: JSON that only the driver understands. */
export type FileReference = Readonly<Record<string, unknown>>;

/** Rejects with Refusal NOT_FOUND when the file is gone for good. */
export type OpenFile = () => Promise<Readable>;

export interface OutgoingMessage {
  /** Chosen by us before the first try and the same on every retry: the network drops the second copy. */
  readonly netId: string;
  /** Full address (`…@s.whatsapp.net`, `…@g.us`, …). */
  readonly to: string;
  readonly content: Content;
  /** Our key of its file: nothing that the network is told. */
  readonly fileKey?: string;
  /** The network id of the message this one quotes. */
  readonly quotes: string | null;
  /** Addresses of people who are named in the text. */
  readonly mentions?: readonly string[];
  /** Whether to show a preview of the first link; absent: as the network does. */
  readonly linkPreview?: boolean;
}

export interface InboundMessage {
  readonly netId: string;
  /** The conversation: the person, or the group. */
  readonly chat: string;
  /** Who wrote it. */
  readonly from: string;
  readonly fromName: string | null;
  readonly content: Content;
  /** Where its file is, for `download`. */
  readonly file?: FileReference;
  readonly quotes: string | null;
  /** When it was written, epoch ms. */
  readonly at: number;
}

/** Why a line closed. The numbers are the network's own. */
export const CLOSED = {
  normally: 1000,
  loggedOut: 401,
  banned: 403,
  codesRanOut: 408,
  mismatch: 411,
  dropped: 428,
  replaced: 440,
  failed: 500,
  unavailable: 503,
  restart: 515,
} as const;

export type LineEvent =
  /** A code to scan, and until when (epoch ms). Each new one replaces the last. */
  | { readonly type: 'qr'; readonly qr: string; readonly expiresAt: number }
  /** A phone linked this device. The network then closes with 515: save the credentials, log in again at once. */
  | { readonly type: 'linked'; readonly phone: string; readonly credentials: Credentials }
  /** Logged in. */
  | { readonly type: 'opened'; readonly phone: string; readonly name: string | null; readonly about: string | null }
  /** The driver's own secrets moved on: store them. */
  | { readonly type: 'credentials'; readonly credentials: Credentials }
  /** The network accepted this message. Heard again for a second copy of the same id. */
  | { readonly type: 'acked'; readonly netId: string; readonly at: number }
  /** The network refused it, for good; also possible after an ack. `reason` is a code such as `not_on_network` or `refused_479`. */
  | { readonly type: 'refused'; readonly netId: string; readonly reason: string }
  | { readonly type: 'receipt'; readonly netIds: readonly string[]; readonly status: 'delivered' | 'read'; readonly at: number }
  /** Answer with `acknowledge` once it is stored. May come again. */
  | { readonly type: 'received'; readonly message: InboundMessage }
  | { readonly type: 'closed'; readonly code: number };
