import { keysOf } from '../../../runtime/keys-of.ts';
import type { ContentExtras } from '../../../store/messaging/content-kinds.ts';
import type { LinkPreview } from '../../../store/messaging/message-row.ts';
import type { Content, Presence } from '../port.ts';
import type { Attachment } from './attachment.ts';

/** One message on the sandbox network, as it lies between the one who wrote it and those who get it. */
export interface NetworkMessage {
  readonly netId: string;
  /** Digits of the number that wrote it. */
  readonly from: string;
  /** Full address: a person's or a group's. */
  readonly to: string;
  readonly content: Content;
  readonly attachment?: Attachment;
  /** The network id of the message that it quotes. */
  readonly quotes: string | null;
  /** Addresses of people who are named in the text. */
  readonly mentions?: readonly string[];
  /** What stands beside the content. */
  readonly extras?: ContentExtras;
  /** When the timer of its chat was set, epoch ms. */
  readonly timerAt?: number;
  /** The network id of the message of which it is the picture in HD. */
  readonly renders?: string;
  /** It invites to a group. */
  readonly invite?: { readonly groupId: string; readonly code: string };
  /** Behind the text of a status: `#RRGGBB`. */
  readonly background?: string;
  /** Of a link in its text. */
  readonly preview?: LinkPreview;
  /** How a device addressed the person to whom it wrote. */
  readonly addressed?: 'number' | 'lid';
  /** Epoch ms. */
  readonly at: number;
}

/** What a phone writes: `to` is a group's address or a person's digits; one of the two must have a linked device. */
export interface Draft {
  readonly to: string;
  readonly content: Content;
  readonly attachment?: Attachment;
  readonly quotes?: string | null;
  readonly mentions?: readonly string[];
  readonly extras?: ContentExtras;
  readonly renders?: string;
  /** Its network id; default: a new one. */
  readonly netId?: string;
}

/** What can be done to a message that was sent before. */
export type Act =
  | { readonly kind: 'reaction'; readonly emoji: string }
  | { readonly kind: 'edited'; readonly body: string }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'vote'; readonly choices: readonly string[] };

/** An act on its way: a message of its own, with a network id of its own. */
export interface DeviceAction {
  readonly netId: string;
  /** Digits of the number that did it. */
  readonly from: string;
  /** Full address of the conversation. */
  readonly to: string;
  /** The network id of the message that it is done to. */
  readonly target: string;
  readonly act: Act;
  /** Epoch ms. */
  readonly at: number;
}

/** What a phone does to a message: `to` as in Draft. */
export interface DeviceActionDraft {
  readonly to: string;
  readonly target: string;
  readonly act: Act;
}

/** What was done to one message, as a phone shows it. Numbers are digits. */
export interface MessageMarks {
  readonly reactions: ReadonlyMap<string, string>;
  readonly votes: ReadonlyMap<string, readonly string[]>;
  /** The text that it has now; null: as it was sent. */
  readonly body: string | null;
  readonly deleted: boolean;
  /** Digits of those devices' numbers that read it. */
  readonly seenBy: ReadonlySet<string>;
  /** When the phone gave its receipts for it, epoch ms. */
  readonly given: { readonly delivered?: number; readonly read?: number; readonly played?: number };
}

/** Who writes at the moment, as a phone shows it. */
export interface ShownPresence {
  readonly from: string;
  /** The address that it is shown in. */
  readonly chat: string;
  readonly state: Presence;
}

/** What a phone's camera or keyboard is given to link a device. */
export type Shown = { readonly qr: string } | { readonly pairingCode: string };

export interface PhoneSettings {
  readonly online: boolean;
  /** Answers what it is shown with a read receipt. */
  readonly reads: boolean;
  /** False: the number has no account; messages to it are refused with `not_on_network`. */
  readonly onNetwork: boolean;
  readonly name: string | null;
  /** What it says about itself; '': nothing; null: it is hidden. A device reads it when it logs in. */
  readonly about: string | null;
  /** Writes from its hidden address (`…@lid`). */
  readonly lid: boolean;
  /** False: the number behind the hidden address is not revealed until this is true again. */
  readonly tellsNumber: boolean;
  /** The number that the network names beside its hidden address, in place of its own: the two contradict each other. Null: its own. */
  readonly toldNumber: string | null;
  /** Wants a passkey, and then a code compared, before it links a device. */
  readonly passkey: boolean;
  /** False: it can only be invited to groups. */
  readonly addable: boolean;
  /** Its account is a business; false: a plain one. */
  readonly business: boolean;
  /** The name by which the network finds its account, without `@`; null: none. */
  readonly username: string | null;
  /** Protects the name; null: nothing does. */
  readonly usernameKey: string | null;
  /** Other digits by which it is dialled. */
  readonly numberForms: readonly string[];
}

/**
 * What can go wrong for one linked number. `forMs` is how long it lasts (10 s where a length is needed and none is given):
 *
 * - `drop`: every login of the number closes with 428; with `forMs`, logins are also refused with 503 that long.
 * - `logout`: its devices are unlinked, 401.
 * - `ban`: 403, now and at each login; for good without `forMs`.
 * - `replaced`: 440, as if another computer had logged in.
 * - `slow`: messages are accepted and delivered, but acks and receipts are held back until it is over.
 * - `refuse`: each new message is refused with `refused_479`.
 * - `ack`: the next `times` messages (1) are refused with the network's number `code`, which asks to wait for `backoffMs` where that is given.
 * - `upload_refused`: it takes no files: messages with one do not leave until the fault is over.
 * - `reach_out_limit`: it may not write to people who never wrote to it, until the fault is over: it is told so, and `refused_463` is what such a
 *   message gets.
 * - `silent`: a half-open connection: writes are swallowed, nothing is received, nothing closes; a login is answered when it is over.
 *
 * - `outdated`, `temporarily_banned`, `locked`, `bad_agent`: the login that is up ends, and logins are refused, with 405, 402 (until the fault
 *   is over), 403 or 409.
 * - `unanswered`: what is asked (no message) is done and never answered. `busy`: every question is refused as one too many.
 *
 * `forMs: 0` ends a fault that lasts.
 */
export interface FaultOrder {
  readonly kind: FaultKind;
  readonly forMs?: number;
  /** Of `ack`. */
  readonly code?: number;
  readonly times?: number;
  readonly backoffMs?: number;
}

/** Faults that refuse logins, and the network's numbers for them. */
export const LOGIN_FAULTS = { outdated: 405, temporarily_banned: 402, locked: 403, bad_agent: 409 } as const;
export type LoginFault = keyof typeof LOGIN_FAULTS;

const OTHER_FAULTS = [
  'drop',
  'logout',
  'ban',
  'replaced',
  'slow',
  'refuse',
  'silent',
  'unanswered',
  'busy',
  'ack',
  'reach_out_limit',
  'upload_refused',
] as const;
export const FAULT_KINDS = [...OTHER_FAULTS, ...keysOf(LOGIN_FAULTS)] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/**
 * What happened, for tests and fault runs to read as the truth. `phone` is the number of the linked device (for `delivered` and `wrote`,
 * of the person's phone), `device` its place among the devices linked to that number, `deviceId` the gateway's own name for it.
 *
 * - `accepted`: the network took the message, exactly once for each (phone, netId); any further copy is a `duplicate`.
 * - `login-refused`: a login, or a device that asked for codes (`phone` is empty), was not let in.
 * - `delivered`: a phone showed it. `wrote`: a phone wrote it. `did`: a phone did something to a message (`reason` says what), or called.
 * - `seen`: a device told the phone that wrote it that it is read. `presence`: a phone saw that somebody writes (`reason`).
 * - `received`: it (no receipt) was handed to a logged-in device (again after each login), `received-acked`: which then said that it is stored.
 * - `look-up`: a device asked about a number, or a username (`to`); `reason` is the answer: `found`, `nobody` or `key_required`.
 * - `media-retry`: a device asked the phone for a file whose address is gone, and got it.
 * - `history-asked`: a device asked the phone for older messages of the chat `to`; `reason` is how many.
 * - `swallowed`: written by a device while the network was silent.
 */
export interface JournalEntry {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Epoch ms. */
  readonly at: number;
  readonly what: JournalFact;
  readonly phone: string;
  readonly device?: number;
  readonly deviceId?: string;
  readonly netId?: string;
  /** The address it was written to. */
  readonly to?: string;
  /** Why a login ended, or was refused (CLOSED). */
  readonly code?: number;
  /** What a login said of its client. */
  readonly version?: string;
  /** Why a message was refused, or what was done. */
  readonly reason?: string;
}

export type JournalFact =
  | 'linked'
  | 'unlinked'
  | 'login'
  | 'login-refused'
  | 'logout'
  | 'accepted'
  | 'duplicate'
  | 'refused'
  | 'swallowed'
  | 'delivered'
  | 'wrote'
  | 'did'
  | 'seen'
  | 'presence'
  | 'received'
  | 'received-acked'
  | 'look-up'
  | 'media-retry'
  | 'history-asked';
