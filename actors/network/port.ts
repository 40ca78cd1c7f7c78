import type { Readable } from 'node:stream';
import type { CredentialRows } from '../../store/devices/credentials.ts';
import type { Habit } from '../../store/devices/network-habits.ts';
import type { ContentExtras } from '../../store/messaging/content-kinds.ts';
import type { LinkPreview } from '../../store/messaging/message-row.ts';
import type { Owner } from '../../store/messaging/messages.ts';
import type { Album } from './album-turns.ts';
import type { CallEnd, CallFacts } from './calls.ts';
import type { PostStats } from './channels.ts';
import type { ChatMarksEvent } from './chat-marks.ts';
import type { Content, GroupInvitation, KnownSecret, OfficialContent, StatusFacts } from './content.ts';
import type { NetworkFact } from './facts.ts';
import type { HistoryWanted, OlderAnswer } from './history.ts';
import type { IdentityFact } from './identity.ts';
import type { LookedUp } from './jid.ts';
import type { MemberReceiptsEvent } from './member-receipts.ts';
import type { PasskeyEvent } from './passkey.ts';
import type { Person } from './person.ts';
import type { PhoneChangesEvent } from './phone-changes.ts';
import type { AskNetwork } from './questions.ts';
import type { RefusedFor } from './refused-for.ts';
import type { MessageTimer, TimerSetting } from './timers.ts';
import type { UnknownEvent } from './unknown-event.ts';

export { CLOSED } from '../domain/close-codes.ts';
export type { Content, FileContent, GroupInvitation } from './content.ts';
export type { IdentityFact, IdentitySource } from './identity.ts';

/** Each driver has a folder next to this file and passes the contract suite in test/actors/network. */
export interface Network {
  readonly name: 'sandbox' | 'whatsapp';
  /** Events arrive in order, never synchronously, and end with exactly one `closed`. */
  open(order: OpenOrder, receive: (event: ConnectionEvent) => void): Connection;
  /** Reads the page that names the web client's current build. Drivers without builds omit this. */
  readBuildPage?(): Promise<string>;
  officialUrl?(): Promise<string>;
  shutdown(): Promise<void>;
}

export interface OpenOrder {
  readonly deviceId: string;
  /** Null to link a new phone; the connection then reports codes. */
  readonly credentials: Credentials | null;
  /** `2.3000.<build>`; the driver's default if absent. */
  readonly version?: string;
  readonly habits?: readonly Habit[];
  readonly history?: HistoryWanted;
  /** The proxy (http, https, socks5) for all traffic of this login; credentials are never logged. */
  readonly proxyUrl: string | null;
  /** Finds a sent message when the network asks for it again. Resolves to null if it no longer exists. */
  readonly findSent?: (netId: string) => Promise<OutgoingMessage | null>;
  /** Called before each attempt to encrypt a message, if there are new facts about the recipient. */
  readonly whyNot?: WhyNot;
  readonly secretsOf?: (netId: string, where: Whereabouts) => Promise<readonly KnownSecret[]>;
  readonly quoted?: (netId: string, chat: string, by: string) => Promise<QuotedMessage | null>;
  readonly openFile?: (fileKey: string) => Promise<Readable>;
  readonly credentialStore?: CredentialStore;
}

/** Stores new facts about a recipient. Resolves to the reason not to send the message, or null. */
export type WhyNot = (netId: string, facts: readonly IdentityFact[]) => Promise<string | null>;

/** Writes reject with Fenced once another owner holds the device. */
export type CredentialStore = {
  readonly [Method in keyof CredentialRows]: CredentialRows[Method] extends (owner: Owner, ...rest: infer Rest) => infer Answer
    ? (...rest: Rest) => Answer
    : CredentialRows[Method];
};

export type Credentials = Readonly<Record<string, unknown>>;

/** Methods are safe to call after the close: sends are dropped, questions get NOT_CONNECTED. */
export interface Connection {
  /** `acked` or `refused` follows, unless the connection closes. Later messages may overtake a file. */
  send(message: OutgoingMessage, open?: OpenFile): void;
  /** `acked` or `refused` follows. An `emoji` of '' removes the reaction. */
  react(reaction: OutgoingReaction): void;
  edit(edit: OutgoingEdit): void;
  erase(erasure: OutgoingErasure): void;
  markRead(chat: string, messages: readonly Pick<MessageKey, 'netId' | 'from'>[]): void;
  presence(chat: string, state: Presence): void;
  /** Confirms that an event is stored. Until then, the network delivers the event again after each login. */
  acknowledge(token: string): void;
  download(file: FileReference): Promise<Readable>;
  /** Resolves to a code that the owner types on the phone. Only works while linking. */
  pairingCode(digits: string): Promise<{ readonly code: string; readonly expiresAt: number }>;
  lookUp(digits: readonly string[]): Promise<readonly LookedUp[]>;
  /** Notifies the driver of stored webhooks. Drivers with their own connection omit this. */
  hooksArrived?(): void;
  readonly ask?: AskNetwork;
  /** Permanently unlinks this device from its phone. `closed` 401 follows. */
  logOut(): Promise<void>;
  close(): void;
}

export type FileReference = Readonly<Record<string, unknown>>;

export const EVERYONE = 'everyone';

export type OpenFile = () => Promise<Readable>;

export interface OutgoingMessage {
  /** Stays the same on every retry, so that the network drops duplicates. */
  readonly netId: string;
  readonly to: string;
  readonly content: Content;
  readonly fileKey?: string;
  readonly quotes: string | null;
  /** EVERYONE mentions everybody who is in the group when the message is sent. */
  readonly mentions?: readonly string[];
  readonly preview?: LinkPreview;
  readonly album?: Album;
  readonly invite?: GroupInvitation;
  readonly status?: StatusFacts;
  readonly timer?: MessageTimer;
  /** Id of the message in the store, if it is stored. `attempt` counts from 1. */
  readonly id?: string;
  readonly attempt?: number;
  /** Set if an attempt since `since` may have sent the message. `isHeld`: the platform holds it back. */
  readonly again?: { readonly since: number; readonly isHeld?: true };
  readonly official?: OfficialContent;
}

export interface QuotedMessage {
  readonly from: string | null;
  readonly fromAlt?: string;
  readonly content: Content;
}

export interface MessageKey {
  readonly chat: string;
  readonly netId: string;
  /** The address that the message came from; null for this device's own number. */
  readonly from: string | null;
  /** The number that the network gave a channel post. Reactions refer to it. */
  readonly serverId?: string;
}

interface OutgoingAction {
  readonly netId: string;
  readonly target: MessageKey;
}

/** Phones show the change with the latest `at`; the sandbox's phones show the last to arrive. */
interface OutgoingChange extends OutgoingAction {
  readonly at: number;
}

export interface OutgoingReaction extends OutgoingChange {
  readonly emoji: string;
}

export interface OutgoingEdit extends OutgoingChange {
  readonly body: string;
}

export interface OutgoingErasure extends OutgoingAction {
  readonly audience?: readonly string[];
}

export type Presence = 'composing' | 'recording' | 'paused';

/** Fields ending in `Alt` hold the person's other address (number or `…@lid`). */
export interface Whereabouts {
  readonly chat: string;
  readonly chatAlt?: string;
  readonly from: string;
  readonly fromAlt?: string;
}

export interface InboundMessage extends Whereabouts {
  readonly netId: string;
  /** If absent, `netId` is acknowledged. Senders choose that id, so it may not be unique. */
  readonly token?: string;
  readonly list?: string;
  readonly fromName: string | null;
  /** Reported by the network's server, not by the sender. */
  readonly fromUsername?: string;
  readonly content: Content;
  readonly file?: FileReference;
  readonly quotes: string | null;
  readonly quotesFrom?: string;
  readonly extras?: ContentExtras;
  readonly secret?: string;
  readonly mentions?: readonly string[];
  /** When the sender says the timer was set (epoch ms). Without `extras.ephemeral`, it is off. */
  readonly timerAt?: number;
  /** If this message repeats an earlier one in HD: the network id of that message. */
  readonly renders?: string;
  /** Until this time (epoch ms), the person may be sent free text. Absent if the message opens no window. */
  readonly windowUntil?: number;
  readonly at: number;
}

export interface HistoryMessage extends InboundMessage {
  readonly isOurs: boolean;
}

/** An action on a message. It may arrive before that message. */
export interface InboundAction extends Whereabouts {
  readonly token: string;
  readonly netId: string;
  readonly fromName: string | null;
  /** The receiver must check whether `from` may act on this message. */
  readonly target: string;
  /** Author of the target, as claimed by `from`; null for this device's own number. */
  readonly targetFrom?: string | null;
  readonly at: number;
}

export interface InboundCall extends Whereabouts, CallFacts {}

export interface Restriction {
  readonly until: number | null;
  readonly reason: string;
  readonly newChatsUsed: number | null;
  readonly newChatsQuota: number | null;
}

export type ConnectionEvent =
  /** Each new code replaces the previous one. */
  | { readonly type: 'qr'; readonly qr: string; readonly expiresAt: number }
  /** Save the credentials and log in again at once, because the network closes this connection (515). */
  | { readonly type: 'linked'; readonly phone: string; readonly credentials: Credentials }
  | {
      readonly type: 'opened';
      readonly phone: string;
      readonly name: string | null;
      readonly about: string | null;
      readonly lid?: string;
    }
  | { readonly type: 'profile'; readonly name: string | null; readonly about: string | null }
  /** When the network will reject this build (epoch ms); null if it withdraws the announcement. */
  | { readonly type: 'buildExpires'; readonly at: number | null }
  | { readonly type: 'credentials'; readonly credentials: Credentials }
  /** Also sent for duplicates. `wireId` is set if the network gave the message another id. */
  | { readonly type: 'acked'; readonly netId: string; readonly at: number; readonly serverId?: string; readonly wireId?: string }
  /** May follow an ack. Some reasons are temporary (domain/transient-refusals.ts). */
  | ({ readonly type: 'refused'; readonly netId: string; readonly reason: string } & RefusedFor)
  /** The message was not written in time and must be sent again. A late `acked` may still follow. */
  | { readonly type: 'unwritten'; readonly netId: string }
  /** `until`: the network refuses logins until then. `failed`: the login is valid, but has this problem. */
  | { readonly type: 'closed'; readonly code: number; readonly until?: number; readonly failed?: string }
  | UnknownEvent
  | ({ readonly type: 'chatPresence'; readonly state: Presence } & Whereabouts)
  | PasskeyEvent
  | KeptEvent;

/** Events that the network delivers again after each login until they are acknowledged. */
export type KeptEvent =
  | { readonly type: 'received'; readonly message: InboundMessage }
  /** The owner wrote this on their phone or another linked device. `from` is their own number. */
  | { readonly type: 'wrote'; readonly message: InboundMessage }
  | {
      readonly type: 'receipt';
      readonly token: string;
      readonly netIds: readonly string[];
      /** Chats that the receipt names. Absent if the ids come from the network itself. */
      readonly chats?: readonly string[];
      readonly status: 'delivered' | 'read';
      readonly at: number;
    }
  /** On another device, the owner has read these messages and all earlier ones. */
  | { readonly type: 'seen'; readonly token: string; readonly chat: string; readonly netIds: readonly string[] }
  /** Messages are sorted oldest first. Some of them may already be known. */
  | { readonly type: 'history'; readonly token: string; readonly messages: readonly HistoryMessage[]; readonly older?: OlderAnswer }
  | ({ readonly type: 'reaction'; readonly emoji: string } & InboundAction)
  | ({ readonly type: 'edited'; readonly body: string } & InboundAction)
  /** In a group, only admins may delete other people's messages. */
  | ({ readonly type: 'deleted' } & InboundAction)
  /** All current choices; empty if the vote was withdrawn. `target` is the poll. */
  | ({ readonly type: 'vote'; readonly choices: readonly string[] } & InboundAction)
  | ({ readonly type: 'call' } & InboundCall)
  | (TimerSetting & Whereabouts)
  | ({ readonly type: 'callEnded' } & Whereabouts & CallEnd)
  | ({ readonly type: 'identity'; readonly token: string } & IdentityFact)
  | { readonly type: 'facts'; readonly token: string; readonly at: number; readonly facts: readonly NetworkFact[] }
  | ChatMarksEvent
  | PhoneChangesEvent
  | MemberReceiptsEvent
  | { readonly type: 'postStats'; readonly token: string; readonly at: number; readonly stats: PostStats }
  | {
      readonly type: 'statusViewed';
      readonly token: string;
      readonly netIds: readonly string[];
      readonly viewer: Person;
      readonly at: number;
    }
  | { readonly type: 'groupsStale'; readonly token: string }
  | ({ readonly type: 'restricted'; readonly token: string } & Restriction)
  | { readonly type: 'lifted'; readonly token: string };

export const tokenOf = (event: KeptEvent): string => ('message' in event ? (event.message.token ?? event.message.netId) : event.token);
