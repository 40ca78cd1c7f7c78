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

/**
 * The network port: everything that a device needs from a messaging network. Each driver is a folder next to this file
 * and passes the contract suite in test/actors/network. Rare abilities are separate interfaces (passkey.ts).
 */
export interface Network {
  readonly name: 'sandbox' | 'whatsapp';
  /**
   * Opens a connection and returns at once. Events arrive in order, never synchronously, and end with exactly one
   * `closed`.
   */
  open(order: OpenOrder, receive: (event: ConnectionEvent) => void): Connection;
  /**
   * Reads the page on which the network publishes the current build of its web client. Absent if builds are not looked
   * up.
   */
  readBuildPage?(): Promise<string>;
  /** URL of this network's official side; absent: the vendor's own address. */
  officialUrl?(): Promise<string>;
  shutdown(): Promise<void>;
}

export interface OpenOrder {
  readonly deviceId: string;
  /** Null to link a new phone; the connection then reports codes. */
  readonly credentials: Credentials | null;
  /** The web client version that this login announces, `2.3000.<build>`; absent: the driver's default. */
  readonly version?: string;
  /** Enabled habits; absent: all. */
  readonly habits?: readonly Habit[];
  /** Which history to import when a phone links this device; absent: none. */
  readonly history?: HistoryWanted;
  /** Proxy (http, https or socks5) for all traffic of this login. The proxy's credentials are never shown or logged. */
  readonly proxyUrl: string | null;
  /**
   * Finds a message of ours that the network requests again. Resolves to null if the message is not ours or is gone.
   */
  readonly findSent?: (netId: string) => Promise<OutgoingMessage | null>;
  /** Called before encryption if the network has reported new facts about the recipient, and again on each attempt. */
  readonly whyNot?: WhyNot;
  /**
   * Finds the secrets (see `KnownSecret`) of messages with this network id in this chat, received or written on the
   * phone.
   */
  readonly secretsOf?: (netId: string, where: Whereabouts) => Promise<readonly KnownSecret[]>;
  /** Finds the message that our message `by` quotes. Resolves to null if it is gone. */
  readonly quoted?: (netId: string, chat: string, by: string) => Promise<QuotedMessage | null>;
  /** Opens the file of a recalled message by its `fileKey`. */
  readonly openFile?: (fileKey: string) => Promise<Readable>;
  /** Storage for secrets that change while the driver is logged in. A driver without such secrets ignores it. */
  readonly credentialStore?: CredentialStore;
}

/**
 * Stores these facts. Resolves to the reason why the message may not be sent to the person in the facts; null if it may
 * be sent.
 */
export type WhyNot = (netId: string, facts: readonly IdentityFact[]) => Promise<string | null>;

/** One device's secrets while one owner holds the device. Writes after that reject with Fenced. */
export type CredentialStore = {
  readonly [Method in keyof CredentialRows]: CredentialRows[Method] extends (owner: Owner, ...rest: infer Rest) => infer Answer
    ? (...rest: Rest) => Answer
    : CredentialRows[Method];
};

export type Credentials = Readonly<Record<string, unknown>>;

/**
 * One open login. Every method is safe to call after it closes: sends are dropped, and questions reject with
 * NOT_CONNECTED.
 */
export interface Connection {
  /**
   * `acked` or `refused` follows; if the connection closes first, the outcome is unknown. A message
   * with a file is sent once the file is read, so later ones may overtake it.
   */
  send(message: OutgoingMessage, open?: OpenFile): void;
  /**
   * Sets this device's reaction to a message; an emoji of '' removes it. `acked` or `refused` follows, as for a
   * message.
   */
  react(reaction: OutgoingReaction): void;
  /** Replaces the text of a message of ours; `acked` or `refused` follows. */
  edit(edit: OutgoingEdit): void;
  /** Deletes a message of ours for everyone; `acked` or `refused` follows. */
  erase(erasure: OutgoingErasure): void;
  /** Sends read receipts to the authors of these messages in one chat. The network does not confirm them. */
  markRead(chat: string, messages: readonly Pick<MessageKey, 'netId' | 'from'>[]): void;
  /** Shows a typing or recording indicator in a chat. The network does not confirm or store it. */
  presence(chat: string, state: Presence): void;
  /** Confirms that the event with this token is stored; until then the network repeats the event after each login. */
  acknowledge(token: string): void;
  /** Downloads an inbound message's file. Rejects with NOT_FOUND if the network no longer has the file. */
  download(file: FileReference): Promise<Readable>;
  /** Links without a camera: resolves to the code to type on the phone with the number `digits`. Only while linking. */
  pairingCode(digits: string): Promise<{ readonly code: string; readonly expiresAt: number }>;
  lookUp(digits: readonly string[]): Promise<readonly LookedUp[]>;
  /** Notifies the connection that stored webhooks are ready to read. Absent for drivers with a connection of their own. */
  hooksArrived?(): void;
  /**
   * Asks a question (questions.ts); absent if the driver does not support questions. Rejects with NOT_CONNECTED if the
   * connection ends first.
   */
  readonly ask?: AskNetwork;
  /** Unlinks this device from its phone for good; `closed` 401 follows. */
  logOut(): Promise<void>;
  close(): void;
}

export type FileReference = Readonly<Record<string, unknown>>;

export const EVERYONE = 'everyone';

/** Rejects with Refusal NOT_FOUND when the file no longer exists. */
export type OpenFile = () => Promise<Readable>;

export interface OutgoingMessage {
  /** Chosen by us before the first attempt and the same on every retry, so the network drops duplicates. */
  readonly netId: string;
  readonly to: string;
  readonly content: Content;
  /** Our storage key of the file; never sent to the network. */
  readonly fileKey?: string;
  readonly quotes: string | null;
  /** Addresses of people mentioned in the text. EVERYONE: all people who are in the group when the message is sent. */
  readonly mentions?: readonly string[];
  /** Preview of a link in the text; a driver only receives previews that have a title. */
  readonly preview?: LinkPreview;
  readonly album?: Album;
  /** Invitation to a group, for people who cannot be added directly; the text accompanies it. */
  readonly invite?: GroupInvitation;
  readonly status?: StatusFacts;
  /** Timer after which the message disappears; absent if the chat does not have a timer. */
  readonly timer?: MessageTimer;
  /** Our message id, and the number of this attempt, from 1. Absent if the message does not have a row. */
  readonly id?: string;
  readonly attempt?: number;
  /**
   * Set if an earlier attempt may have sent the message, at `since` (epoch ms) or later. `isHeld`: the platform is
   * holding the message.
   */
  readonly again?: { readonly since: number; readonly isHeld?: true };
  readonly official?: OfficialContent;
}

export interface QuotedMessage {
  /** The author; null for this device's own number. */
  readonly from: string | null;
  /** The author's hidden address, if known in addition to their number. */
  readonly fromAlt?: string;
  readonly content: Content;
}

export interface MessageKey {
  readonly chat: string;
  readonly netId: string;
  /** The author, by the address that the message came from; null for this device's own number. */
  readonly from: string | null;
  /** For a channel post: the network's number for the post (from `acked`), which reactions refer to. */
  readonly serverId?: string;
}

/** An action is a message too: we choose `netId` and keep it on every retry, so the network drops duplicates. */
interface OutgoingAction {
  readonly netId: string;
  readonly target: MessageKey;
}

/**
 * For each kind of change to a message, phones show the latest one, in whatever order they arrive. The sandbox's phones
 * show the one that arrives last.
 */
interface OutgoingChange extends OutgoingAction {
  /** When the change was requested, epoch ms: the same on every retry. */
  readonly at: number;
}

export interface OutgoingReaction extends OutgoingChange {
  /** One emoji; '' removes the reaction. */
  readonly emoji: string;
}

export interface OutgoingEdit extends OutgoingChange {
  readonly body: string;
}

export interface OutgoingErasure extends OutgoingAction {
  readonly audience?: readonly string[];
}

export type Presence = 'composing' | 'recording' | 'paused';

/** Fields ending in `Alt` hold the person's other address (number or `…@lid`), if known. */
export interface Whereabouts {
  readonly chat: string;
  readonly chatAlt?: string;
  readonly from: string;
  readonly fromAlt?: string;
}

export interface InboundMessage extends Whereabouts {
  readonly netId: string;
  /** The token; if absent, the network id. Senders choose network ids, so two messages may have the same one. */
  readonly token?: string;
  readonly list?: string;
  readonly fromName: string | null;
  /** The author's username without `@`, as the network's server reports it. */
  readonly fromUsername?: string;
  readonly content: Content;
  readonly file?: FileReference;
  readonly quotes: string | null;
  /** The quoted message's author, according to the sender; absent if not given. */
  readonly quotesFrom?: string;
  readonly extras?: ContentExtras;
  /** The message's secret, base64 (see `KnownSecret`). */
  readonly secret?: string;
  readonly mentions?: readonly string[];
  /**
   * When the chat's timer was set, according to the sender, epoch ms. `extras.ephemeral` is the timer's value; if that
   * is absent, the timer is off.
   */
  readonly timerAt?: number;
  /**
   * Network id of the message of which this one is another rendering, such as HD. If that message is stored, this one
   * is dropped.
   */
  readonly renders?: string;
  /**
   * Until when free text may be sent to the author, epoch ms. Absent if the network does not have customer service
   * windows or this message does not open one.
   */
  readonly windowUntil?: number;
  /** When the message was written, epoch ms. */
  readonly at: number;
}

export interface HistoryMessage extends InboundMessage {
  readonly isOurs: boolean;
}

/** An action on an earlier message from either side. The message itself may arrive after the action. */
export interface InboundAction extends Whereabouts {
  readonly token: string;
  readonly netId: string;
  readonly fromName: string | null;
  /** Network id of the message acted on. The receiver must check whether `from` is allowed to do this. */
  readonly target: string;
  /** The target's author according to `from`; null for this device's own number; absent if not given. */
  readonly targetFrom?: string | null;
  /** When the action was performed, epoch ms. The later of two actions by one person wins. */
  readonly at: number;
}

export interface InboundCall extends Whereabouts, CallFacts {}

export interface Restriction {
  /** Epoch ms; null if the network does not specify a time. */
  readonly until: number | null;
  readonly reason: string;
  readonly newChatsUsed: number | null;
  readonly newChatsQuota: number | null;
}

export type ConnectionEvent =
  /** A code to scan, valid until `expiresAt` (epoch ms). Each new code replaces the previous one. */
  | { readonly type: 'qr'; readonly qr: string; readonly expiresAt: number }
  /** A phone linked this device. The network then closes with 515: save the credentials and log in again at once. */
  | { readonly type: 'linked'; readonly phone: string; readonly credentials: Credentials }
  /** The login succeeded. */
  | {
      readonly type: 'opened';
      readonly phone: string;
      readonly name: string | null;
      readonly about: string | null;
      /**
       * The hidden address (`<digits>@lid`) that the network assigned to this account at login; absent if it did not
       * assign one.
       */
      readonly lid?: string;
    }
  /** The owner's name or about text changed since `opened`. */
  | { readonly type: 'profile'; readonly name: string | null; readonly about: string | null }
  /** When the network will start to reject this login's build, epoch ms; null if the announcement is withdrawn. */
  | { readonly type: 'buildExpires'; readonly at: number | null }
  | { readonly type: 'credentials'; readonly credentials: Credentials }
  /**
   * The network accepted the message (again for each duplicate). `serverId`: the number of a channel post. `wireId`:
   * the message's network id from now on.
   */
  | { readonly type: 'acked'; readonly netId: string; readonly at: number; readonly serverId?: string; readonly wireId?: string }
  /**
   * The network refused the message, possibly after an ack. Some reasons are temporary (domain/transient-refusals.ts).
   */
  | ({ readonly type: 'refused'; readonly netId: string; readonly reason: string } & RefusedFor)
  /**
   * The message was not written in time, which does not mean that the connection failed. Send it again; a late write is
   * acked.
   */
  | { readonly type: 'unwritten'; readonly netId: string }
  /**
   * `until`: logins are refused until this time, epoch ms. `failed`: the login is valid, but somebody must fix this
   * problem.
   */
  | { readonly type: 'closed'; readonly code: number; readonly until?: number; readonly failed?: string }
  | UnknownEvent
  | ({ readonly type: 'chatPresence'; readonly state: Presence } & Whereabouts)
  | PasskeyEvent
  | KeptEvent;

/** Events that must not be lost: repeated after each login until acknowledged. May arrive twice. */
export type KeptEvent =
  /** The token is `message.token`, or the network id if the message does not have a token. */
  | { readonly type: 'received'; readonly message: InboundMessage }
  /**
   * Written by the number's owner on their phone or another linked device. `from` is their own
   * number; the token is as for `received`.
   */
  | { readonly type: 'wrote'; readonly message: InboundMessage }
  | {
      readonly type: 'receipt';
      readonly token: string;
      readonly netIds: readonly string[];
      /** The chat of each id, as stated in the receipt; absent if the network itself vouches for the ids. */
      readonly chats?: readonly string[];
      readonly status: 'delivered' | 'read';
      readonly at: number;
    }
  /**
   * The owner read these messages, and all earlier ones, on another device. Reported after everything that was received
   * earlier.
   */
  | { readonly type: 'seen'; readonly token: string; readonly chat: string; readonly netIds: readonly string[] }
  /**
   * Messages from before this device was linked, oldest first; some may already be known. Only if history was
   * requested; the response to `older` may be empty.
   */
  | { readonly type: 'history'; readonly token: string; readonly messages: readonly HistoryMessage[]; readonly older?: OlderAnswer }
  | ({ readonly type: 'reaction'; readonly emoji: string } & InboundAction)
  | ({ readonly type: 'edited'; readonly body: string } & InboundAction)
  /** The message was deleted for everyone. In a group, only admins may delete other people's messages. */
  | ({ readonly type: 'deleted' } & InboundAction)
  /** The person's current choices, by name; empty if they withdrew their vote. `target` is the poll. */
  | ({ readonly type: 'vote'; readonly choices: readonly string[] } & InboundAction)
  | ({ readonly type: 'call' } & InboundCall)
  | (TimerSetting & Whereabouts)
  | ({ readonly type: 'callEnded' } & Whereabouts & CallEnd)
  | ({ readonly type: 'identity'; readonly token: string } & IdentityFact)
  /** Changes to groups, channels and the account, made by others or by this account. */
  | { readonly type: 'facts'; readonly token: string; readonly at: number; readonly facts: readonly NetworkFact[] }
  | ChatMarksEvent
  | PhoneChangesEvent
  | MemberReceiptsEvent
  /** Current view and reaction counts of a post in this account's channel. */
  | { readonly type: 'postStats'; readonly token: string; readonly at: number; readonly stats: PostStats }
  | {
      readonly type: 'statusViewed';
      readonly token: string;
      readonly netIds: readonly string[];
      readonly viewer: Person;
      readonly at: number;
    }
  /** The list of groups reported earlier is out of date: request it again. */
  | { readonly type: 'groupsStale'; readonly token: string }
  | ({ readonly type: 'restricted'; readonly token: string } & Restriction)
  | { readonly type: 'lifted'; readonly token: string };

export const tokenOf = (event: KeptEvent): string => ('message' in event ? (event.message.token ?? event.message.netId) : event.token);
