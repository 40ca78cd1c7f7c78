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
  readonly timerAt?: number;
  /** If this message repeats an earlier one in HD: the network id of that message. */
  readonly renders?: string;
  readonly invite?: { readonly groupId: string; readonly code: string };
  readonly background?: string;
  readonly preview?: LinkPreview;
  readonly addressed?: 'number' | 'lid';
  readonly at: number;
}

/** `to` is a group or digits. At least one of the two sides must have a linked device. */
export interface Draft {
  readonly to: string;
  readonly content: Content;
  readonly attachment?: Attachment;
  readonly quotes?: string | null;
  readonly mentions?: readonly string[];
  readonly extras?: ContentExtras;
  readonly renders?: string;
  readonly netId?: string;
}

export type Act =
  | { readonly kind: 'reaction'; readonly emoji: string }
  | { readonly kind: 'edited'; readonly body: string }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'vote'; readonly choices: readonly string[] };

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

export interface MessageMarks {
  readonly reactions: ReadonlyMap<string, string>;
  readonly votes: ReadonlyMap<string, readonly string[]>;
  readonly body: string | null;
  readonly deleted: boolean;
  readonly seenBy: ReadonlySet<string>;
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
  readonly onNetwork: boolean;
  readonly name: string | null;
  /** The about text: '' when empty, null when hidden. */
  readonly about: string | null;
  readonly lid: boolean;
  readonly tellsNumber: boolean;
  /** A wrong number that the network reports for the hidden address; null for the real one. */
  readonly toldNumber: string | null;
  readonly passkey: boolean;
  readonly addable: boolean;
  readonly business: boolean;
  readonly username: string | null;
  readonly usernameKey: string | null;
  readonly numberForms: readonly string[];
  readonly savedAs: string | null;
}

/**
 * A fault of one linked number that lasts for `forMs` (10 s by default). A value of 0 ends it.
 *
 * - `drop`: logins close with 428. With `forMs`, later logins are refused with 503. `logout`: 401.
 * - `ban`: 403 at each login, permanent without `forMs`. `replaced`: 440.
 * - `slow`: acks and receipts are held back. `silent`: a half-open connection.
 * - `refuse`: `refused_479`. `ack`: the next `times` messages are refused with `code`.
 * - `reach_out_limit`: messages to people who never wrote are refused with `refused_463`.
 * - `unanswered`: questions take effect, but get no response. `busy`: all questions are refused.
 */
export interface FaultOrder {
  readonly kind: FaultKind;
  readonly forMs?: number;
  readonly code?: number;
  readonly times?: number;
  readonly backoffMs?: number;
}

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
export const TEMPLATE_STATES = ['approved', 'rejected', 'paused', 'disabled', 'pending'] as const;
export type TemplateState = (typeof TEMPLATE_STATES)[number];

export const FAULT_KINDS = [...OTHER_FAULTS, ...keysOf(LOGIN_FAULTS)] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/**
 * Records what happened on the network. `phone` is the linked number; in `delivered`, `wrote` and
 * `did`, it is the person's. `device` is an index among the number's devices.
 *
 * - `accepted`: exactly once for each (phone, netId). Any further copy is a `duplicate`.
 * - `login-refused`: `phone` is empty if the device requested codes.
 * - `seen`: a device sent a read receipt. `presence`: a phone saw a typing indicator (`reason`).
 * - `received`: repeated after each login. `received-acked`: the device has stored the event.
 * - `media-retry`: the phone uploaded a file again. `history-asked`: `reason` is the count.
 * - `swallowed`: a device wrote the message while the network was silent.
 */
export interface JournalEntry {
  readonly seq: number;
  readonly at: number;
  readonly what: JournalFact;
  readonly phone: string;
  readonly device?: number;
  readonly deviceId?: string;
  readonly netId?: string;
  readonly to?: string;
  /** The code with which a login was closed or refused (CLOSED). */
  readonly code?: number;
  readonly version?: string;
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
