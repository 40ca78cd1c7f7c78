import { keysOf } from '../../../runtime/keys-of.ts';
import type { ContentExtras } from '../../../store/messaging/content-kinds.ts';
import type { LinkPreview } from '../../../store/messaging/message-row.ts';
import type { Content, Presence } from '../port.ts';
import type { Attachment } from './attachment.ts';

export interface NetworkMessage {
  readonly netId: string;
  readonly from: string;
  readonly to: string;
  readonly content: Content;
  readonly attachment?: Attachment;
  readonly quotes: string | null;
  readonly mentions?: readonly string[];
  readonly extras?: ContentExtras;
  /** When the chat's timer was set, epoch ms. */
  readonly timerAt?: number;
  /** Network id of the message of which this one is an HD version. */
  readonly renders?: string;
  readonly invite?: { readonly groupId: string; readonly code: string };
  readonly background?: string;
  readonly preview?: LinkPreview;
  readonly addressed?: 'number' | 'lid';
  readonly at: number;
}

/** `to`: a group's address or a person's digits; one side must have a linked device. */
export interface Draft {
  readonly to: string;
  readonly content: Content;
  readonly attachment?: Attachment;
  readonly quotes?: string | null;
  readonly mentions?: readonly string[];
  readonly extras?: ContentExtras;
  readonly renders?: string;
  /** Network id of the message; default: a new one. */
  readonly netId?: string;
}

export type Act =
  | { readonly kind: 'reaction'; readonly emoji: string }
  | { readonly kind: 'edited'; readonly body: string }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'vote'; readonly choices: readonly string[] };

/** An act being delivered. It is a separate message with its own network id. */
export interface DeviceAction {
  readonly netId: string;
  readonly from: string;
  readonly to: string;
  readonly target: string;
  readonly act: Act;
  readonly at: number;
}

export interface DeviceActionDraft {
  readonly to: string;
  readonly target: string;
  readonly act: Act;
}

/** Acts on one message, as a phone shows them. Numbers are digits. */
export interface MessageMarks {
  readonly reactions: ReadonlyMap<string, string>;
  readonly votes: ReadonlyMap<string, readonly string[]>;
  /** The current text; null if the message was not edited. */
  readonly body: string | null;
  readonly deleted: boolean;
  readonly seenBy: ReadonlySet<string>;
  /** When the phone sent its receipts for the message, epoch ms. */
  readonly given: { readonly delivered?: number; readonly read?: number; readonly played?: number };
}

export interface ShownPresence {
  readonly from: string;
  readonly chat: string;
  readonly state: Presence;
}

export type Shown = { readonly qr: string } | { readonly pairingCode: string };

export interface PhoneSettings {
  readonly online: boolean;
  readonly reads: boolean;
  /** Whether the number has an account; if not, messages to it are refused with `not_on_network`. */
  readonly onNetwork: boolean;
  readonly name: string | null;
  /** The about text; '' when empty, null when hidden. A device reads it at login. */
  readonly about: string | null;
  readonly lid: boolean;
  /** Whether the number behind the hidden address is revealed. */
  readonly tellsNumber: boolean;
  /** A conflicting number that the network reports for the hidden address; null for the real one. */
  readonly toldNumber: string | null;
  readonly passkey: boolean;
  readonly addable: boolean;
  readonly business: boolean;
  /** The account's username, without `@`; null if it does not have one. */
  readonly username: string | null;
  /** The key that protects the username; null when it is not protected. */
  readonly usernameKey: string | null;
  readonly numberForms: readonly string[];
  /** This person's name in the address books of linked phones; null if they are not in any. */
  readonly savedAs: string | null;
}

/**
 * A fault of one linked number. `forMs` is its duration (default 10 s where a duration is needed):
 *
 * - `drop`: every login of the number closes with 428; with `forMs`, logins are also refused with 503 for
 *   that long.
 * - `logout`: its devices are unlinked, 401.
 * - `ban`: 403, now and at each login; permanent without `forMs`.
 * - `replaced`: 440, as if another computer had logged in.
 * - `slow`: messages are accepted and delivered, but acks and receipts are held back until the fault is
 *   over.
 * - `refuse`: each new message is refused with `refused_479`.
 * - `ack`: the next `times` messages (default 1) are refused with the network's error number `code` and, if
 *   given, the pause `backoffMs`.
 * - `upload_refused`: files are not accepted; messages with a file are not sent until the fault is over.
 * - `reach_out_limit`: the number may not write to people who never wrote to it. It is notified of the
 *   limit, and such messages are
 *   refused with `refused_463`.
 * - `silent`: a half-open connection: writes are swallowed, nothing is received, nothing closes. A login is
 *   answered when the fault is
 *   over.
 *
 * - `outdated`, `temporarily_banned`, `locked`, `bad_agent`: the current login ends, and logins are refused
 *   with 405, 402 (until the
 *   fault is over), 403 or 409.
 * - `unanswered`: questions are carried out and never answered. `busy`: every question is refused with "too
 *   many requests".
 *
 * `forMs: 0` ends a lasting fault.
 */
export interface FaultOrder {
  readonly kind: FaultKind;
  readonly forMs?: number;
  readonly code?: number;
  readonly times?: number;
  readonly backoffMs?: number;
}

/** Faults that refuse logins, with the network's codes for them. */
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
 * A record of what happened on the network, for tests and fault runs. `phone` is the number of the linked
 * device (for `delivered` and `wrote`, of the person's phone), `device` its index among the devices linked
 * to that number, `deviceId` the gateway's id of the device.
 *
 * - `accepted`: the network accepted the message, exactly once for each (phone, netId); any further copy is
 *   a `duplicate`.
 * - `login-refused`: a login, or a device that requested codes (`phone` is empty), was refused.
 * - `delivered`: a phone showed a message. `wrote`: a phone wrote it. `did`: a phone acted on it (`reason`
 *   names the act), or called.
 * - `seen`: a device sent a read receipt to the phone that wrote the message. `presence`: a phone saw a
 *   typing indicator (`reason`).
 * - `received`: an event other than a receipt was delivered to a logged-in device (again after each login).
 *   `received-acked`: the device
 *   then confirmed that it is stored.
 * - `look-up`: a device looked up a number, or a username (`to`); `reason` is the result: `found`, `nobody`
 *   or `key_required`.
 * - `media-retry`: a device requested a file whose address had expired from the phone, and received it.
 * - `history-asked`: a device requested older messages of the chat `to` from the phone; `reason` is their
 *   number.
 * - `swallowed`: a device wrote the message while the network was silent.
 */
export interface JournalEntry {
  /** Sequence number, from 1, without gaps. */
  readonly seq: number;
  readonly at: number;
  readonly what: JournalFact;
  readonly phone: string;
  readonly device?: number;
  readonly deviceId?: string;
  readonly netId?: string;
  readonly to?: string;
  /** Code with which a login was closed or refused (CLOSED). */
  readonly code?: number;
  readonly version?: string;
  /** Refusal reason, or the kind of act. */
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
