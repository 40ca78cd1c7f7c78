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
import type { AskNetwork } from './questions.ts';
import type { MessageTimer, TimerSetting } from './timers.ts';
import type { UnknownEvent } from './unknown-event.ts';

export { CLOSED } from '../domain/close-codes.ts';
export type { Content, FileContent, GroupInvitation } from './content.ts';
export type { IdentityFact, IdentitySource } from './identity.ts';

/**
 * The network port: what a device needs of a messaging network. A driver is a folder beside this file (`sandbox/`,
 * `whatsapp/`) and passes the contract suite in test/actors/network. Abilities that not every driver has are small
 * interfaces of their own that a connection may also implement, discovered by a type test (passkey.ts).
 */
export interface Network {
  readonly name: 'sandbox' | 'whatsapp';
  /**
   * Opens one login. Returns at once; everything that happens is received, in order, ending with exactly one `closed`.
   * Nothing is received synchronously inside this call, and nothing after `closed`.
   */
  open(order: OpenOrder, receive: (event: ConnectionEvent) => void): Connection;
  /** The page on which the network names the current build of its web client, as text. Absent: builds are not looked up. */
  readBuildPage?(): Promise<string>;
  /** Where the official side of this network listens; absent: at the vendor's own address. */
  officialUrl?(): Promise<string>;
  /** Closes every connection and lets go of all resources. */
  shutdown(): Promise<void>;
}

export interface OpenOrder {
  readonly deviceId: string;
  /** null: link a new phone (codes are received). */
  readonly credentials: Credentials | null;
  /** The version of the network's web client that this login announces, `2.3000.<build>`; absent: the driver's own. */
  readonly version?: string;
  /** Habits that are switched on; absent: all. */
  readonly habits?: readonly Habit[];
  /** What is taken over when a phone links this device; absent: nothing. */
  readonly history?: HistoryWanted;
  /** http, https or socks5: all traffic of this login uses it, or none. Its credentials are never shown or logged. */
  readonly proxyUrl: string | null;
  /**
   * What was sent under this network id: the network may ask for it again, or name an answer to it by a hash. Null: not by us, or it is
   * gone. A driver that needs none of it may leave it alone.
   */
  readonly findSent?: (netId: string) => Promise<OutgoingMessage | null>;
  /** Asked before anything is sealed, where the network named something new of the recipient meanwhile, and again for each try. */
  readonly whyNot?: WhyNot;
  /** The secrets of messages that came in, or that were written on the phone, under this network id in this chat: see `KnownSecret`. */
  readonly secretsOf?: (netId: string, where: Whereabouts) => Promise<readonly KnownSecret[]>;
  /** The message with this network id in this chat, for a message of ours (`by`: its network id) that quotes it. Null: it is gone. */
  readonly quoted?: (netId: string, chat: string, by: string) => Promise<QuotedMessage | null>;
  /** The bytes of the file of a recalled message, by its `fileKey`. */
  readonly openFile?: (fileKey: string) => Promise<Readable>;
  /** Where a driver may keep secrets that change while it is logged in; a driver that has none leaves it alone. */
  readonly credentialStore?: CredentialStore;
}

/** Learns these facts and gives the reason why the message may not be sent to the person whom they name; null: it may. */
export type WhyNot = (netId: string, facts: readonly IdentityFact[]) => Promise<string | null>;

/** The secrets of one device, for as long as one owner has it: every write counts only while it does, and rejects with Fenced after. */
export type CredentialStore = {
  readonly [Method in keyof CredentialRows]: CredentialRows[Method] extends (owner: Owner, ...rest: infer Rest) => infer Answer
    ? (...rest: Rest) => Answer
    : CredentialRows[Method];
};

/** The data for another login: JSON that only the driver understands. */
export type Credentials = Readonly<Record<string, unknown>>;

/** One open login. Every method is safe to call after the connection closed: sends are dropped, asks reject with Refusal NOT_CONNECTED. */
export interface Connection {
  /**
   * Writes one message. The network's own word on it is received later as `acked` or `refused`; a connection that closes first leaves it unknown.
   * `open` gives the bytes of a file, which leaves when it was read: later messages may overtake it.
   */
  send(message: OutgoingMessage, open?: OpenFile): void;
  /** Sets this device's reaction to a message; an emoji of '' takes it back. The network's word on it comes as for a message: `acked` or `refused`. */
  react(reaction: OutgoingReaction): void;
  /** Replaces the text of a message of ours; answered as `react` is. */
  edit(edit: OutgoingEdit): void;
  /** Deletes a message of ours for everyone; answered as `react` is. */
  erase(erasure: OutgoingErasure): void;
  /** Tells those who wrote these messages of one chat that they are read. Nothing is answered, and nothing depends on it. */
  markRead(chat: string, messages: readonly Pick<MessageKey, 'netId' | 'from'>[]): void;
  /** Shows a typing or recording indicator in a chat. Ephemeral: no answer, and the network forgets it. */
  presence(chat: string, state: Presence): void;
  /**
   * Tells the network that what carried this token (for `received`: its network id) is stored: until then it delivers it again after each
   * login. An unknown token is ignored.
   */
  acknowledge(token: string): void;
  /** The bytes of an inbound message's file. Rejects with Refusal NOT_FOUND when the network has them no more. */
  download(file: FileReference): Promise<Readable>;
  /** Links without a camera: the code to type on the phone `digits`. Only while linking. */
  pairingCode(digits: string): Promise<{ readonly code: string; readonly expiresAt: number }>;
  /** Which of these numbers (digits) are on the network. */
  lookUp(digits: readonly string[]): Promise<readonly LookedUp[]>;
  /** Something was stored for this connection to read; absent: this driver has a line of its own. */
  hooksArrived?(): void;
  /** Asks about groups and the like (questions.ts); absent: this driver has none of it. A question ends with its connection (NOT_CONNECTED). */
  readonly ask?: AskNetwork;
  /** Unlinks this device from its phone for good; `closed` 401 follows. */
  logOut(): Promise<void>;
  /** Ends the connection without unlinking; `closed` follows with code 1000. */
  close(): void;
}

/** The location of a file: JSON that only the driver understands. */
export type FileReference = Readonly<Record<string, unknown>>;

/** Among the mentions of a message to a group. */
export const EVERYONE = 'everyone';

/** Rejects with Refusal NOT_FOUND when the file is gone for good. */
export type OpenFile = () => Promise<Readable>;

export interface OutgoingMessage {
  /** Chosen by us before the first try and the same on every retry: the network drops the second copy. */
  readonly netId: string;
  /** Full address (`…@s.whatsapp.net`, `…@g.us`, …). */
  readonly to: string;
  readonly content: Content;
  /** Our key of its file; never sent to the network. */
  readonly fileKey?: string;
  /** The network id of the message this one quotes. */
  readonly quotes: string | null;
  /** Addresses of people who are named in the text; EVERYONE: all members of the group, as they are when it is sent. */
  readonly mentions?: readonly string[];
  /** Of a link in its text; a driver is only given one that has a title. */
  readonly preview?: LinkPreview;
  readonly album?: Album;
  /** Invites to a group those who can only be invited; the text is what stands beside it. */
  readonly invite?: GroupInvitation;
  /** Of a status (`to` is STORIES). */
  readonly status?: StatusFacts;
  /** It disappears; absent: its chat has no timer. */
  readonly timer?: MessageTimer;
  /** Our id of it, and which attempt this is, from 1; absent: it has no row. */
  readonly id?: string;
  readonly attempt?: number;
  /** An earlier connection may have written it, since then (epoch ms). */
  readonly again?: { readonly since: number };
  /** What only the official platform sends. */
  readonly official?: OfficialContent;
}

/** A quoted message, as the quoting message shows it. */
export interface QuotedMessage {
  /** Who wrote it; null: this device's own number. */
  readonly from: string | null;
  /** Their hidden address, where it is known beside their number. */
  readonly fromAlt?: string;
  readonly content: Content;
}

/** A message that was sent before, by either side. */
export interface MessageKey {
  /** Full address of the conversation. */
  readonly chat: string;
  readonly netId: string;
  /** Who wrote it, under the address that it came from; null: this device's own number. */
  readonly from: string | null;
  /** Of a post in a channel: the network's number of it (`acked`), by which it is reacted to. */
  readonly serverId?: string;
}

/** An action on a message is a message of its own: we choose `netId`, the same on every retry, and a second copy is dropped. */
interface OutgoingAction {
  readonly netId: string;
  readonly target: MessageKey;
}

/** Phones show the latest one of a kind on a message, in whichever order they come; the sandbox's show the last to come. */
interface OutgoingChange extends OutgoingAction {
  /** When it was asked for, epoch ms: the same on every retry. */
  readonly at: number;
}

export interface OutgoingReaction extends OutgoingChange {
  /** One emoji; '': none any more. */
  readonly emoji: string;
}

export interface OutgoingEdit extends OutgoingChange {
  readonly body: string;
}

export interface OutgoingErasure extends OutgoingAction {
  /** Of a status: whom it was shown to. */
  readonly audience?: readonly string[];
}

export type Presence = 'composing' | 'recording' | 'paused';

/** A person writes from the address of their number or from a hidden one (`…@lid`). The other one is given if the network knows it. */
export interface Whereabouts {
  /** The conversation: the person, or the group. */
  readonly chat: string;
  readonly chatAlt?: string;
  /** Who wrote it, or did it. */
  readonly from: string;
  readonly fromAlt?: string;
}

export interface InboundMessage extends Whereabouts {
  readonly netId: string;
  /** Absent: its network id. Senders choose those, so that two may have the same one. */
  readonly token?: string;
  /** The broadcast list of the number's owner to which they wrote it. */
  readonly list?: string;
  readonly fromName: string | null;
  /** The author's username without `@`, as the network's server says it. */
  readonly fromUsername?: string;
  readonly content: Content;
  /** Where its file is, for `download`. */
  readonly file?: FileReference;
  readonly quotes: string | null;
  /** Who wrote the quoted message, as the writer says; absent: not said. */
  readonly quotesFrom?: string;
  /** What stands beside the content. */
  readonly extras?: ContentExtras;
  /** Its secret, in base64. */
  readonly secret?: string;
  /** Addresses of people who are named in the text. */
  readonly mentions?: readonly string[];
  /** When the timer of its chat was set, as its writer says, epoch ms; `extras.ephemeral` is what to, absent: off. */
  readonly timerAt?: number;
  /**
   * The network id of the message of which this is a second rendering (the picture in HD). It is no message of its own where that one is in the log, in the
   * same chat and of the same writer.
   */
  readonly renders?: string;
  /** Until then its writer may be answered with free text, epoch ms; absent: there is no such rule, or this message opens nothing. */
  readonly windowUntil?: number;
  /** When it was written, epoch ms. */
  readonly at: number;
}

export interface HistoryMessage extends InboundMessage {
  /** The number's owner wrote it. */
  readonly isOurs: boolean;
}

/** An action on an earlier message of either side; that message may arrive later. */
export interface InboundAction extends Whereabouts {
  readonly token: string;
  /** Its own network id, unique per device as those of messages. */
  readonly netId: string;
  readonly fromName: string | null;
  /** The network id of the message that it is done to. Whether `from` may do it is the receiver's to check. */
  readonly target: string;
  /** The target's author according to `from`; null: this device's own number. Absent: not said. */
  readonly targetFrom?: string | null;
  /** When it was done, epoch ms: of two by the same person the later one holds. */
  readonly at: number;
}

/** An incoming call. It is never answered here. */
export interface InboundCall extends Whereabouts, CallFacts {}

/** The network limits how many strangers this number may write to first. */
export interface Restriction {
  /** Epoch ms; null: it does not say. */
  readonly until: number | null;
  readonly reason: string;
  readonly newChatsUsed: number | null;
  readonly newChatsQuota: number | null;
}

export type ConnectionEvent =
  /** A code to scan, and until when (epoch ms). Each new one replaces the last. */
  | { readonly type: 'qr'; readonly qr: string; readonly expiresAt: number }
  /** A phone linked this device. The network then closes with 515: save the credentials, log in again at once. */
  | { readonly type: 'linked'; readonly phone: string; readonly credentials: Credentials }
  /** Logged in. */
  | {
      readonly type: 'opened';
      readonly phone: string;
      readonly name: string | null;
      readonly about: string | null;
      /** The hidden address (`<digits>@lid`) that the network gave this account with the login; absent: it gave none. */
      readonly lid?: string;
    }
  /** The name or the about text of the number's owner differs from `opened`. */
  | { readonly type: 'profile'; readonly name: string | null; readonly about: string | null }
  /** When the network will refuse the build of this login, epoch ms; null: it takes that back. */
  | { readonly type: 'buildExpires'; readonly at: number | null }
  /** The driver's own secrets moved on: store them. */
  | { readonly type: 'credentials'; readonly credentials: Credentials }
  /** The network accepted this message. Received again for a second copy of the same id. `serverId`: of a post in a channel. `wireId`: its id from now on. */
  | { readonly type: 'acked'; readonly netId: string; readonly at: number; readonly serverId?: string; readonly wireId?: string }
  /**
   * The network refused it; also possible after an ack. `reason` is a code such as `not_on_network` or `refused_479`; some are of the moment
   * (domain/transient-refusals.ts). `backoffMs`: how long the network asks to wait.
   */
  | { readonly type: 'refused'; readonly netId: string; readonly reason: string; readonly backoffMs?: number }
  /** It could not be written in its time: that says nothing of the connection. Give it again; it may still be written, and is acked then. */
  | { readonly type: 'unwritten'; readonly netId: string }
  /** `until`: the time that the network names, epoch ms; it takes no login before that. `failed`: the login is good, and somebody has to repair this. */
  | { readonly type: 'closed'; readonly code: number; readonly until?: number; readonly failed?: string }
  | UnknownEvent
  /** Somebody writes, records or stopped. Never told again. */
  | ({ readonly type: 'chatPresence'; readonly state: Presence } & Whereabouts)
  | PasskeyEvent
  | KeptEvent;

/** Events that must not be lost: answered with `acknowledge` once stored, and repeated after each login until then. They may come twice. */
export type KeptEvent =
  /** The event's token is `message.token`, or the network id where the message has none. */
  | { readonly type: 'received'; readonly message: InboundMessage }
  /**
   * The number's owner wrote it on their phone, or on another device of theirs: never on this one. `from` is their own number. The token is
   * that of `received`. What they do to messages there is reported like the actions of others.
   */
  | { readonly type: 'wrote'; readonly message: InboundMessage }
  | {
      readonly type: 'receipt';
      readonly token: string;
      readonly netIds: readonly string[];
      /** The chat of each, as it came with the receipt; absent: the network itself vouches for the ids. */
      readonly chats?: readonly string[];
      readonly status: 'delivered' | 'read';
      readonly at: number;
    }
  /**
   * The number's owner read these messages of one chat on their phone, or on another device of theirs, and with them all that came before.
   * Told after all that came in before it.
   */
  | { readonly type: 'seen'; readonly token: string; readonly chat: string; readonly netIds: readonly string[] }
  /**
   * Messages of one chat from before this device was linked, oldest first; some may be known already. Only if history was requested, when linking or
   * later (`older`, which may bring none).
   */
  | { readonly type: 'history'; readonly token: string; readonly messages: readonly HistoryMessage[]; readonly older?: OlderAnswer }
  /** '' takes the reaction back. */
  | ({ readonly type: 'reaction'; readonly emoji: string } & InboundAction)
  | ({ readonly type: 'edited'; readonly body: string } & InboundAction)
  /** Deleted for everyone. In a group also by an admin: the network allows nobody else to delete messages of others. */
  | ({ readonly type: 'deleted' } & InboundAction)
  /** All that this person chooses now, by name; none: they took their vote back. `target` is the poll. */
  | ({ readonly type: 'vote'; readonly choices: readonly string[] } & InboundAction)
  | ({ readonly type: 'call' } & InboundCall)
  | (TimerSetting & Whereabouts)
  | ({ readonly type: 'callEnded' } & Whereabouts & CallEnd)
  | ({ readonly type: 'identity'; readonly token: string } & IdentityFact)
  /** What the network tells of groups and the like: of what others do, and of what this account does. */
  | { readonly type: 'facts'; readonly token: string; readonly at: number; readonly facts: readonly NetworkFact[] }
  | ChatMarksEvent
  | MemberReceiptsEvent
  /** By now a post of this account's channel was seen and reacted to so often. */
  | { readonly type: 'postStats'; readonly token: string; readonly at: number; readonly stats: PostStats }
  /** Somebody looked at statuses of this account. */
  | {
      readonly type: 'statusViewed';
      readonly token: string;
      readonly netIds: readonly string[];
      readonly viewer: Person;
      readonly at: number;
    }
  /** The groups of this account are others than were told: their list is to be asked for. */
  | { readonly type: 'groupsStale'; readonly token: string }
  | ({ readonly type: 'restricted'; readonly token: string } & Restriction)
  | { readonly type: 'lifted'; readonly token: string };

export const tokenOf = (event: KeptEvent): string => ('message' in event ? (event.message.token ?? event.message.netId) : event.token);
