import type { CoreEffect, ReplyTo, Step } from '../../runtime/behaviour.ts';
import type { OwnAct } from '../../store/acts.ts';
import type { DevicePatch, DeviceRestriction, SessionStatus } from '../../store/devices.ts';
import type { MessageRow, Owner } from '../../store/messages.ts';
import type { LookedUp } from '../network/jid.ts';
import type { PasskeyCredential } from '../network/passkey.ts';
import type { Credentials, InboundMessage, KeptEvent, LineEvent, MessageKey, OutgoingMessage, Presence } from '../network/port.ts';
import type { YoungDay } from './warm-up.ts';

export interface PairingCode {
  readonly code: string;
  readonly expiresAt: number;
}

/** What the rest of the system may say to a device. Asks are answered once what they changed is stored. */
export type DeviceCommand =
  /** Start linking or reconnecting; nothing changes where that is under way. */
  | { readonly type: 'connect'; readonly replyTo: ReplyTo<null> }
  /** Go offline and stay so. Refuses CONFLICT on a failed device. */
  | { readonly type: 'disconnect'; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'restart'; readonly replyTo: ReplyTo<null> }
  /** Unlink from the phone. Refuses NOT_CONNECTED while offline: the phone could not hear of it. */
  | { readonly type: 'logOut'; readonly replyTo: ReplyTo<null> }
  /** The device is being deleted: unlink if online, forget everything, end. */
  | { readonly type: 'retire'; readonly replyTo: ReplyTo<null> }
  /** A code to type on the phone `digits`; starts linking where needed. Refuses CONFLICT on a linked device. */
  | { readonly type: 'pairByCode'; readonly digits: string; readonly replyTo: ReplyTo<PairingCode> }
  /** The passkey that the network asked for. Refuses NOT_FOUND while it asks for none, VALIDATION_FAILED when it does not take this one. */
  | { readonly type: 'answerPasskey'; readonly credential: PasskeyCredential; readonly replyTo: ReplyTo<null> }
  /** The code beside it is the phone's. Refuses NOT_FOUND while there is none. */
  | { readonly type: 'confirmPasskey'; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'lookUp'; readonly digits: readonly string[]; readonly replyTo: ReplyTo<readonly LookedUp[]> }
  /** The key of the file that was left on the network, once it is stored. Refuses NOT_FOUND (left-files.ts), NOT_CONNECTED, OVERLOADED, UNAVAILABLE. */
  | { readonly type: 'fetchFile'; readonly id: string; readonly replyTo: ReplyTo<string> }
  /** Send now, ahead of everything, without a stored row (one-time codes). Answered on the network's ack; refuses NOT_CONNECTED, NOT_DELIVERED. */
  | { readonly type: 'deliver'; readonly message: OutgoingMessage; readonly replyTo: ReplyTo<null> }
  /**
   * Do something to a message that was sent. Answered when the network took it and its message says so; refuses NOT_CONNECTED, CONFLICT (the
   * network refused it), and DEVICE_TIMEOUT: then it is still under way, over this line or the next.
   */
  | { readonly type: 'act'; readonly act: OwnAct; readonly replyTo: ReplyTo<null> }
  /** Show in a chat that somebody writes. Answered when it left; refuses NOT_CONNECTED. */
  | { readonly type: 'presence'; readonly chat: string; readonly state: Presence; readonly replyTo: ReplyTo<null> }
  /** Tell those who wrote these messages that they are read; offline, nobody is told. */
  | { readonly type: 'markRead'; readonly chat: string; readonly messages: readonly ReadMessage[] }
  /**
   * It will run elsewhere: claim nothing more, wait for what is on the wire, go offline without logging out. Answered when it is. Refuses
   * CONFLICT while a phone is being linked and when the network keeps its acks back for 8 s (it then goes on as before), unless it `must`.
   */
  | { readonly type: 'drain'; readonly must: boolean; readonly replyTo: ReplyTo<null> }
  /** A hint that rows wait in the queue; losing it loses nothing. */
  | { readonly type: 'workArrived' }
  | { readonly type: 'pace'; readonly pacing: Pacing }
  /** New settings; a proxy is used from the next dial on. */
  | ({ readonly type: 'adjust' } & Pick<DeviceFacts, 'ignore' | 'proxyUrl'>);

/** What can only be done over an open line. */
export type LineCommand = Extract<DeviceCommand, { readonly type: 'lookUp' | 'fetchFile' | 'deliver' | 'logOut' | 'act' | 'presence' }>;

export type ReadMessage = Pick<MessageKey, 'netId' | 'from'>;

/** What a device hears from its own line, store and timers. `dial` says which line spoke, so that an old one can be ignored. */
export type DeviceEvent =
  | { readonly type: 'dialled'; readonly dial: number }
  /** `luck` in [0, 1) feeds the jitter of what may follow. */
  | { readonly type: 'lineSaid'; readonly dial: number; readonly said: LineEvent; readonly luck: number }
  | { readonly type: 'retryDue' }
  | { readonly type: 'drainOverdue' }
  | { readonly type: 'overdue'; readonly dial: number; readonly luck: number }
  | { readonly type: 'ackOverdue'; readonly dial: number; readonly luck: number }
  | { readonly type: 'paceDue' }
  | { readonly type: 'liftDue' }
  | { readonly type: 'lookDue'; readonly dial: number }
  | { readonly type: 'linkSaved'; readonly dial: number }
  | { readonly type: 'recovered'; readonly dial: number; readonly rows: readonly MessageRow[] }
  /** What leaves next, once it looks as if it were written; it waits in its lane meanwhile. */
  | { readonly type: 'chosen'; readonly dial: number; readonly row: MessageRow }
  | {
      readonly type: 'claimed';
      readonly dial: number;
      readonly rows: readonly MessageRow[];
      readonly pauseMs: number;
      readonly isSpent?: boolean;
    }
  | { readonly type: 'typed'; readonly dial: number }
  /** What the network told under this token is stored. */
  | { readonly type: 'kept'; readonly dial: number; readonly token: string }
  /** The intent to do it is stored; its message says that it was done; it is under way since an earlier line. */
  | { readonly type: 'intended'; readonly dial: number; readonly netId: string }
  | { readonly type: 'applied'; readonly dial: number; readonly netId: string }
  | { readonly type: 'actsRecovered'; readonly dial: number; readonly acts: readonly OwnAct[] }
  | { readonly type: 'actOverdue'; readonly netId: string }
  | { readonly type: 'answered'; readonly to: object; readonly value: unknown }
  | { readonly type: 'refused'; readonly to: object; readonly error: Error }
  | { readonly type: 'deliverOverdue'; readonly netId: string }
  /** A write or read of ours failed: what is in memory may not be what is stored. */
  | { readonly type: 'storeFailed'; readonly luck: number }
  /** Another node owns this device now, or may do so any moment; or it was removed. */
  | { readonly type: 'fenced' };

export interface Pacing {
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** Somebody is seen writing before a text comes. */
  readonly typing?: boolean;
  /** For so many days after it was linked a device is young (warm-up.ts); null: never. */
  readonly warmupDays?: number | null;
}

/** What may leave now. */
export interface Turn {
  readonly gate: Gate;
  /** A limit of any kind makes it matter whose turn it is; else the first go. */
  readonly isWatched: boolean;
  /** Of a young device. */
  readonly day: YoungDay | null;
}

export interface DeviceFacts {
  readonly owner: Owner;
  readonly credentials: Credentials | null;
  readonly phone: string | null;
  readonly wanted: boolean;
  /** As stored when it woke. */
  readonly status: SessionStatus;
  readonly ignore: { readonly status: boolean; readonly groups: boolean; readonly channels: boolean };
  readonly proxyUrl: string | null;
  readonly pacing: Pacing;
  /** When the phone was linked; null: never, or before that was noted. */
  readonly linkedAt: number | null;
  /** As stored. */
  readonly warmupUntil: number | null;
  readonly restriction: DeviceRestriction | null;
  /** Login times of the last 24 h, oldest first. */
  readonly reconnects: readonly number[];
  /** Something happened before that is perhaps not recorded as an event yet. */
  readonly untold: boolean;
}

/**
 *   down ──connect──▶ dialling ──dialled──▶ linking ──linked──▶ (515) dialling
 *    ▲                  ▲    └──dialled──▶ connecting ──opened──▶ online
 *    │ codes ran out,   │ retryDue            │ closed              │ closed
 *    │ disconnect       └──── backingOff ◀────┴─────────────────────┘
 *   failed: logged out or banned; final until linked again (connect)
 */
export type LineState =
  | { readonly phase: 'down'; readonly dial: number }
  | { readonly phase: 'dialling'; readonly dial: number; readonly failures: number; readonly wantsCode: WantsCode | null }
  /**
   * `shown`: the network gave its first code; `byCode`: somebody asked for one to type. `saved` becomes true when a phone linked and that
   * is stored; `over` when the network then closed (515) before it was.
   */
  | {
      readonly phase: 'linking';
      readonly dial: number;
      readonly wantsCode: WantsCode | null;
      readonly shown: boolean;
      readonly byCode: boolean;
      /** What the network asks for after the code (passkey.ts). */
      readonly passkey: PasskeyStep | null;
      readonly saved: boolean;
      readonly over: boolean;
    }
  | { readonly phase: 'connecting'; readonly dial: number; readonly failures: number }
  | { readonly phase: 'online'; readonly dial: number; readonly failures: number; readonly since: number }
  | { readonly phase: 'backingOff'; readonly dial: number; readonly failures: number }
  | { readonly phase: 'failed'; readonly dial: number };

export type PasskeyStep = 'passkey' | 'passkey_confirm';

export interface WantsCode {
  readonly digits: string;
  readonly replyTo: ReplyTo<PairingCode>;
}

/**
 * Which lanes may leave: replies have a pause of their own, which nothing that is planned makes longer; what is planned keeps away from
 * replies, too; first contacts with strangers come last and slowest. The gate of campaigns is also shut while one of their messages is on
 * the wire: whoever cancels one, or writes STOP, finds all others still in their lane.
 */
export const GATES = { shut: 0, replies: 1, scheduled: 2, campaigns: 3, strangers: 4 } as const;
export type Gate = (typeof GATES)[keyof typeof GATES];

/** When each may leave next, epoch ms. */
export interface Pace {
  readonly replies: number;
  readonly planned: number;
  readonly strangers: number;
  /** A young device has sent what it may until then. */
  readonly spentUntil: number;
}

/** The outgoing side. Rows live in the store; here is only what is on the wire and what happens next. */
export interface OutboxState {
  /** `recovering`: rows left on the wire by the last line are being read; nothing new is claimed meanwhile. */
  readonly phase: 'closed' | 'recovering' | 'idle' | 'claiming' | 'typing';
  /** Nothing waits in the store behind gates up to this one, as far as known. */
  readonly emptyUpTo: Gate;
  /** It is claimed when it looks as if it were written. */
  readonly typing: MessageRow | null;
  readonly onTheWire: ReadonlyMap<string, { readonly id: string; readonly lane: number; readonly at: number }>;
  readonly pace: Pace;
  readonly delivering: ReadonlyMap<string, ReplyTo<null>>;
}

export interface Acting {
  readonly act: OwnAct;
  /** null: nobody waits for it any more. */
  readonly replyTo: ReplyTo<null> | null;
}

export interface DeviceState {
  readonly facts: DeviceFacts;
  readonly line: LineState;
  readonly outbox: OutboxState;
  /** What is being done to messages over this line, by its network id. */
  readonly acting: ReadonlyMap<string, Acting>;
  /** Who asked the network something and has no answer yet. */
  readonly asking: ReadonlySet<object>;
  /** Who waits for us to have gone offline; nothing is claimed meanwhile. */
  readonly draining: ReplyTo<null> | null;
  /** Came while the device was on its way back to the network (early.ts). */
  readonly early: readonly LineCommand[];
}

export type Receipt = Extract<LineEvent, { readonly type: 'receipt' }>;

export type DeviceEffect =
  | { readonly do: 'dial'; readonly dial: number; readonly credentials: Credentials | null; readonly proxyUrl: string | null }
  | { readonly do: 'hangUp' }
  /** `replyTo` is answered, `hear` is heard, once it is stored. */
  | { readonly do: 'save'; readonly patch: DevicePatch; readonly replyTo?: ReplyTo<null>; readonly hear?: DeviceEvent }
  | { readonly do: 'logOut' }
  | { readonly do: 'askCode'; readonly want: WantsCode }
  | { readonly do: 'answerPasskey'; readonly credential: PasskeyCredential; readonly replyTo: ReplyTo<null> }
  | { readonly do: 'confirmPasskey'; readonly replyTo: ReplyTo<null> }
  | { readonly do: 'askLookUp'; readonly digits: readonly string[]; readonly replyTo: ReplyTo<readonly LookedUp[]> }
  | { readonly do: 'fetchFile'; readonly id: string; readonly replyTo: ReplyTo<string> }
  | { readonly do: 'recover'; readonly dial: number }
  /** What follows from changes that are stored. */
  | { readonly do: 'settle' }
  | {
      readonly do: 'claim';
      readonly dial: number;
      readonly limit: number;
      readonly pacing: Pacing;
      readonly turn: Turn;
      /** This one, if it still waits; null: whoever's turn it is. */
      readonly row: MessageRow | null;
    }
  | { readonly do: 'transmit'; readonly message: OutgoingMessage }
  | { readonly do: 'markSent'; readonly id: string; readonly at: number }
  | { readonly do: 'markFailed'; readonly netId: string; readonly error: string }
  | { readonly do: 'markReceipt'; readonly dial: number; readonly receipt: Receipt }
  /** `isOurs`: the number's owner wrote it elsewhere. */
  | { readonly do: 'storeInbound'; readonly dial: number; readonly message: InboundMessage; readonly isOurs: boolean }
  | { readonly do: 'acknowledge'; readonly token: string }
  | ActEffect;

/** What has to do with messages that were sent before. */
export type ActEffect =
  /** `own`: the digits of this device's number. */
  | { readonly do: 'keep'; readonly dial: number; readonly event: ToldAct; readonly own: string | null }
  | { readonly do: 'intend'; readonly dial: number; readonly act: OwnAct }
  | { readonly do: 'transmitAct'; readonly act: OwnAct }
  | { readonly do: 'applyAct'; readonly dial: number; readonly act: OwnAct; readonly at: number }
  | { readonly do: 'dropAct'; readonly act: OwnAct }
  | { readonly do: 'recoverActs'; readonly dial: number }
  | { readonly do: 'tellRead'; readonly chat: string; readonly messages: readonly ReadMessage[] }
  | { readonly do: 'showPresence'; readonly chat: string; readonly state: Presence };

/** What people did that no message row of its own is written for in passing. */
export type ToldAct = Extract<
  KeptEvent,
  { readonly type: 'reaction' | 'edited' | 'deleted' | 'vote' | 'call' | 'identity' | 'history' | 'seen' }
>;

/** What a device does about one message. */
export type DeviceStep = Step<DeviceState, DeviceEffect | CoreEffect<DeviceEvent>>;

/** What the world outside could notice. */
export const OUTSIDE: ReadonlySet<DeviceEffect['do']> = new Set([
  'dial',
  'transmit',
  'transmitAct',
  'acknowledge',
  'logOut',
  'askCode',
  'answerPasskey',
  'confirmPasskey',
  'askLookUp',
  'fetchFile',
  'tellRead',
  'showPresence',
]);
