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
 * The network port: everything that a device needs from a messaging network. Drivers are folders
 * next to this file and pass the contract suite in test/actors/network. Rare abilities are separate
 * interfaces (passkey.ts).
 */
export interface Network {
  readonly name: 'sandbox' | 'whatsapp';
  /** Returns at once. Events come in order and end with exactly one `closed`; none synchronously. */
  open(order: OpenOrder, receive: (event: ConnectionEvent) => void): Connection;
  /** Reads the page on which the network names the current build of its web client. Absent when builds are not looked up. */
  readBuildPage?(): Promise<string>;
  /** URL of this network's official side; absent: the vendor's own address. */
  officialUrl?(): Promise<string>;
  shutdown(): Promise<void>;
}

export interface OpenOrder {
  readonly deviceId: string;
  /** null: link a new phone (codes are received). */
  readonly credentials: Credentials | null;
  /** The web client version that this login announces, `2.3000.<build>`; absent: the driver's default. */
  readonly version?: string;
  /** Habits that are switched on; absent: all. */
  readonly habits?: readonly Habit[];
  /** Which history to import when a phone links this device; absent: none. */
  readonly history?: HistoryWanted;
  /** Proxy (http, https or socks5) for all traffic of this login; no traffic bypasses it. Its credentials are never shown or logged. */
  readonly proxyUrl: string | null;
  /** Finds our message, which the network may request again. Null when it is not ours or gone. */
  readonly findSent?: (netId: string) => Promise<OutgoingMessage | null>;
  /** Called before encryption when the network has reported new facts about the recipient, and again on each attempt. */
  readonly whyNot?: WhyNot;
  /** Finds the secrets of messages received, or written on the phone, under this network id in this chat: see `KnownSecret`. */
  readonly secretsOf?: (netId: string, where: Whereabouts) => Promise<readonly KnownSecret[]>;
  /** Finds the message that our message `by` quotes. Null when it is gone. */
  readonly quoted?: (netId: string, chat: string, by: string) => Promise<QuotedMessage | null>;
  /** Opens the file of a recalled message by its `fileKey`. */
  readonly openFile?: (fileKey: string) => Promise<Readable>;
  /** Storage for secrets that change while the driver is logged in. A driver without such secrets ignores it. */
  readonly credentialStore?: CredentialStore;
}

/** Stores these facts and resolves the reason why the message may not be sent to the person they name; null when it may. */
export type WhyNot = (netId: string, facts: readonly IdentityFact[]) => Promise<string | null>;

/** The secrets of one device while one owner holds it; later writes reject with Fenced. */
export type CredentialStore = {
  readonly [Method in keyof CredentialRows]: CredentialRows[Method] extends (owner: Owner, ...rest: infer Rest) => infer Answer
    ? (...rest: Rest) => Answer
    : CredentialRows[Method];
};

export type Credentials = Readonly<Record<string, unknown>>;

/** One open login. After it closes every method is safe to call: sends are dropped, questions reject with Refusal NOT_CONNECTED. */
export interface Connection {
  /**
   * `acked` or `refused` follows; if the connection closes first, the outcome is unknown. A message
   * with a file is sent once the file is read, so later ones may overtake it.
   */
  send(message: OutgoingMessage, open?: OpenFile): void;
  /** Sets this device's reaction to a message; an emoji of '' removes it. Answered like a message: `acked` or `refused`. */
  react(reaction: OutgoingReaction): void;
  /** Replaces the text of a message of ours; answered as `react` is. */
  edit(edit: OutgoingEdit): void;
  /** Deletes a message of ours for everyone; answered as `react` is. */
  erase(erasure: OutgoingErasure): void;
  /** Sends read receipts to the authors of these messages of one chat. There is no answer. */
  markRead(chat: string, messages: readonly Pick<MessageKey, 'netId' | 'from'>[]): void;
  /** Shows a typing or recording indicator in a chat. Ephemeral: no answer, and the network forgets it. */
  presence(chat: string, state: Presence): void;
  /** Confirms that this token's event is stored; until then it comes again after each login. */
  acknowledge(token: string): void;
  /** Downloads the file of an inbound message. Rejects with Refusal NOT_FOUND when the network no longer has it. */
  download(file: FileReference): Promise<Readable>;
  /** Links without a camera: resolves the code to type on the phone `digits`. Only while linking. */
  pairingCode(digits: string): Promise<{ readonly code: string; readonly expiresAt: number }>;
  lookUp(digits: readonly string[]): Promise<readonly LookedUp[]>;
  /** Notifies the connection that stored webhooks are ready to read. Absent for drivers with a connection of their own. */
  hooksArrived?(): void;
  /** Asks a question (questions.ts); absent when the driver answers none. Rejects with NOT_CONNECTED when the connection ends first. */
  readonly ask?: AskNetwork;
  /** Unlinks this device from its phone for good; `closed` 401 follows. */
  logOut(): Promise<void>;
  close(): void;
}

export type FileReference = Readonly<Record<string, unknown>>;

export const EVERYONE = 'everyone';

/** Rejects with Refusal NOT_FOUND when the file is gone for good. */
export type OpenFile = () => Promise<Readable>;

export interface OutgoingMessage {
  /** Chosen by us before the first try and the same on every retry: the network drops the second copy. */
  readonly netId: string;
  readonly to: string;
  readonly content: Content;
  /** Our storage key of the file; never sent to the network. */
  readonly fileKey?: string;
  readonly quotes: string | null;
  /** Addresses of people mentioned in the text; EVERYONE: all members of the group when it is sent. */
  readonly mentions?: readonly string[];
  /** Preview of a link in the text; a driver only receives previews that have a title. */
  readonly preview?: LinkPreview;
  readonly album?: Album;
  /** Invitation to a group, for people who cannot be added directly; the text accompanies it. */
  readonly invite?: GroupInvitation;
  readonly status?: StatusFacts;
  /** Timer after which the message disappears; absent when its chat has no timer. */
  readonly timer?: MessageTimer;
  /** Our id of the message, and the number of this attempt, from 1; absent when the message has no row. */
  readonly id?: string;
  readonly attempt?: number;
  /** Set when the message may have been written before, at or after `since` (epoch ms). `isHeld`: the platform holds it. */
  readonly again?: { readonly since: number; readonly isHeld?: true };
  readonly official?: OfficialContent;
}

export interface QuotedMessage {
  /** The author; null: this device's own number. */
  readonly from: string | null;
  /** The author's hidden address, if known in addition to their number. */
  readonly fromAlt?: string;
  readonly content: Content;
}

export interface MessageKey {
  readonly chat: string;
  readonly netId: string;
  /** The author, by the address that the message came from; null: this device's own number. */
  readonly from: string | null;
  /** For a post in a channel: the network's number of it (`acked`), which reactions refer to. */
  readonly serverId?: string;
}

/** An action is a message too: we choose `netId` and keep it on every retry, and the network drops a second copy. */
interface OutgoingAction {
  readonly netId: string;
  readonly target: MessageKey;
}

/** Phones show the latest change of each kind on a message, in any order of arrival; the sandbox's show the last to arrive. */
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

/** `Alt` is the person's other address (number or `…@lid`), if known. */
export interface Whereabouts {
  readonly chat: string;
  readonly chatAlt?: string;
  readonly from: string;
  readonly fromAlt?: string;
}

export interface InboundMessage extends Whereabouts {
  readonly netId: string;
  /** Absent: the network id is the token. Senders choose network ids, so two messages may share one. */
  readonly token?: string;
  readonly list?: string;
  readonly fromName: string | null;
  /** The author's username without `@`, as the network's server reports it. */
  readonly fromUsername?: string;
  readonly content: Content;
  readonly file?: FileReference;
  readonly quotes: string | null;
  /** The author of the quoted message, according to the sender; absent when not given. */
  readonly quotesFrom?: string;
  readonly extras?: ContentExtras;
  /** The secret of the message, base64 (see `KnownSecret`). */
  readonly secret?: string;
  readonly mentions?: readonly string[];
  /** When the timer of the chat was set, according to the sender, epoch ms. `extras.ephemeral` is its value; absent: off. */
  readonly timerAt?: number;
  /** The message that this one renders again (in HD); if that is stored, this one is dropped. */
  readonly renders?: string;
  /** Until when the author may be answered with free text, epoch ms; absent when there is no such rule or this message opens no window. */
  readonly windowUntil?: number;
  /** When it was written, epoch ms. */
  readonly at: number;
}

export interface HistoryMessage extends InboundMessage {
  readonly isOurs: boolean;
}

/** An action on an earlier message of either side; that message may arrive later. */
export interface InboundAction extends Whereabouts {
  readonly token: string;
  readonly netId: string;
  readonly fromName: string | null;
  /** Network id of the message acted on. The receiver must check that `from` may do this. */
  readonly target: string;
  /** The target's author according to `from`; null: this device's own number; absent when not given. */
  readonly targetFrom?: string | null;
  /** When the action was done, epoch ms. The later of two actions by one person wins. */
  readonly at: number;
}

export interface InboundCall extends Whereabouts, CallFacts {}

export interface Restriction {
  /** Epoch ms; null when the network gives no time. */
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
  /** Logged in. */
  | {
      readonly type: 'opened';
      readonly phone: string;
      readonly name: string | null;
      readonly about: string | null;
      /** The hidden address (`<digits>@lid`) that the network assigned to this account at login; absent when it gave none. */
      readonly lid?: string;
    }
  /** The name or the about text of the number's owner differs from `opened`. */
  | { readonly type: 'profile'; readonly name: string | null; readonly about: string | null }
  /** When the network will start to refuse the build of this login, epoch ms; null when it withdraws the announcement. */
  | { readonly type: 'buildExpires'; readonly at: number | null }
  | { readonly type: 'credentials'; readonly credentials: Credentials }
  /** The network accepted the message (again for a second copy). `serverId`: number of a channel post. `wireId`: its id from now on. */
  | { readonly type: 'acked'; readonly netId: string; readonly at: number; readonly serverId?: string; readonly wireId?: string }
  /** Possibly after an ack. Some reasons are temporary (domain/transient-refusals.ts). */
  | ({ readonly type: 'refused'; readonly netId: string; readonly reason: string } & RefusedFor)
  /** Not written in time, which says nothing about the connection. Send it again; a late write is acked. */
  | { readonly type: 'unwritten'; readonly netId: string }
  /** `until`: no login is accepted before this time, epoch ms. `failed`: the login is valid, but somebody has to fix this problem. */
  | { readonly type: 'closed'; readonly code: number; readonly until?: number; readonly failed?: string }
  | UnknownEvent
  | ({ readonly type: 'chatPresence'; readonly state: Presence } & Whereabouts)
  | PasskeyEvent
  | KeptEvent;

/** Events that must not be lost: repeated after each login until acknowledged. May arrive twice. */
export type KeptEvent =
  /** The token is `message.token`, or the network id when the message has none. */
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
      /** The chat of each id, as given by the receipt; absent when the network itself vouches for the ids. */
      readonly chats?: readonly string[];
      readonly status: 'delivered' | 'read';
      readonly at: number;
    }
  /** Read by the owner elsewhere, with all earlier ones. Reported after everything received earlier. */
  | { readonly type: 'seen'; readonly token: string; readonly chat: string; readonly netIds: readonly string[] }
  /**
   * Messages from before this device was linked, oldest first; some may be known. Only if history
   * was requested; an answer to `older` may be empty.
   */
  | { readonly type: 'history'; readonly token: string; readonly messages: readonly HistoryMessage[]; readonly older?: OlderAnswer }
  | ({ readonly type: 'reaction'; readonly emoji: string } & InboundAction)
  | ({ readonly type: 'edited'; readonly body: string } & InboundAction)
  /** Deleted for everyone. In a group, only an admin may delete messages of others. */
  | ({ readonly type: 'deleted' } & InboundAction)
  /** All current choices of this person, by name; empty when they withdrew their vote. `target` is the poll. */
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
