import type { CoreEffect, ReplyTo, Step } from '../../runtime/actor-system/behaviour.ts';
import type { EffectScopes } from '../../runtime/cluster/leased-actor.ts';
import type { Safe } from '../../runtime/safe-text.ts';
import type { DevicePairing, DevicePatch, SessionEvent, SessionStatus, Slowed } from '../../store/devices/devices.ts';
import type { MessageAction } from '../../store/messaging/message-actions.ts';
import type { MessageRow } from '../../store/messaging/messages.ts';
import type { TransientRefusal } from '../domain/transient-refusals.ts';
import type { LookedUp } from '../network/jid.ts';
import type { PasskeyCredential } from '../network/passkey.ts';
import type { ConnectionEvent, Credentials, InboundMessage, KeptEvent, MessageKey, OutgoingMessage, Presence } from '../network/port.ts';
import type { NetworkQuestion } from '../network/questions.ts';
import type { AdoptedLogin } from './adopted-login.ts';
import type { DeviceFacts, DeviceSettings, Gate, Pace, Pacing, SendBudget } from './behaviour/facts.ts';
import type { QuestionBudget } from './behaviour/question-budget.ts';

export interface PairingCode {
  readonly code: string;
  readonly expiresAt: number;
}

/** Commands to a device. Asks are answered once their changes are stored. */
export type DeviceCommand =
  /** Start linking or reconnecting; nothing changes where that is under way. */
  | { readonly type: 'connect'; readonly replyTo: ReplyTo<null> }
  /** Go offline and stay so. Refuses CONFLICT on a failed device. */
  | { readonly type: 'disconnect'; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'restart'; readonly replyTo: ReplyTo<null> }
  /** Take over a login of another program, and connect with it. Refuses CONFLICT on a device that has a login. */
  | { readonly type: 'adopt'; readonly login: AdoptedLogin; readonly replyTo: ReplyTo<null> }
  /** Unlink from the phone. Refuses NOT_CONNECTED while offline: the phone could not learn of it. */
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
  /**
   * Ask the network (network/questions.ts), as soon as the device's budget allows. Refuses NOT_CONNECTED, OVERLOADED and RATE_LIMITED (not asked),
   * DEVICE_TIMEOUT (of a change: perhaps it happened), NOT_FOUND where the driver has no such question, and as the network does.
   */
  // biome-ignore lint/suspicious/noExplicitAny: its answer is that of its name (network/questions.ts), which callers get from one typed function
  | { readonly type: 'question'; readonly question: NetworkQuestion; readonly replyTo: ReplyTo<any> }
  /** The key of the file that was left on the network, once it is stored. Refuses NOT_FOUND (effects/deferred-media.ts), NOT_CONNECTED, OVERLOADED, UNAVAILABLE. */
  | { readonly type: 'fetchFile'; readonly id: string; readonly replyTo: ReplyTo<string> }
  /** Send now, ahead of everything, without a stored row (one-time codes). Answered on the network's ack; refuses NOT_CONNECTED, NOT_DELIVERED. */
  | { readonly type: 'deliver'; readonly message: OutgoingMessage; readonly replyTo: ReplyTo<null> }
  /**
   * Do something to a message that was sent. Answered when the network took it and its message says so; refuses NOT_CONNECTED, CONFLICT (the
   * network refused it), and DEVICE_TIMEOUT: then it is still under way, over this connection or the next.
   */
  | { readonly type: 'action'; readonly action: MessageAction; readonly replyTo: ReplyTo<null> }
  /** Show a typing indicator in a chat. Answered when it was sent; refuses NOT_CONNECTED. */
  | { readonly type: 'presence'; readonly chat: string; readonly state: Presence; readonly replyTo: ReplyTo<null> }
  /** Send read receipts for these messages; while offline, none are sent. */
  | { readonly type: 'markRead'; readonly chat: string; readonly messages: readonly ReadMessage[] }
  /**
   * It will run on another node: claim nothing more, wait for messages on the wire, disconnect without logging out, then answer. Refuses
   * CONFLICT while a phone is being linked and when the network keeps its acks back for 8 s (it then goes on as before), unless it `must`.
   */
  | { readonly type: 'drain'; readonly must: boolean; readonly replyTo: ReplyTo<null> }
  /**
   * A hint that rows wait in the queue; losing it loses nothing. `ahead`: a row that is being stored by a write that has begun: one of the same store that begins
   * now is done behind it. `id`: it is this row, and stored.
   */
  | { readonly type: 'workArrived'; readonly ahead?: MessageRow; readonly id?: string }
  | { readonly type: 'pace'; readonly pacing: Pacing }
  /** A hint that its settings are others: they are read again. A proxy is used from the next connection on. */
  | { readonly type: 'settingsChanged' }
  /** Another build is announced: a refused one does not wait for its try. `hookArrived`: webhooks of the platform were stored. */
  | { readonly type: 'buildChanged' | 'hookArrived' };

/** Commands that need an open connection. */
export type ConnectionCommand = Extract<
  DeviceCommand,
  { readonly type: 'lookUp' | 'question' | 'fetchFile' | 'deliver' | 'logOut' | 'action' | 'presence' }
>;

/** A question to the network that waits for its turn, and since when. */
export interface PendingQuestion {
  readonly question: NetworkQuestion;
  readonly replyTo: ReplyTo<unknown>;
  readonly since: number;
  /** Who wants the same list, and gets the same answer. */
  readonly others?: readonly ReplyTo<unknown>[];
}

export type ReadMessage = Pick<MessageKey, 'netId' | 'from'>;

/** Events from the device's own connection, store and timers. `connectionId` names the connection, so that events of an old one can be ignored. */
export type DeviceEvent =
  | { readonly type: 'connectStarted'; readonly connectionId: number }
  /** `jitter` in [0, 1) feeds the jitter of what may follow; `version` is the one that the login announced. */
  | {
      readonly type: 'connectionEvent';
      readonly connectionId: number;
      readonly said: Safe<ConnectionEvent>;
      readonly jitter: number;
      readonly version?: string;
    }
  /** As they are stored now. */
  | { readonly type: 'settings'; readonly settings: DeviceSettings }
  | { readonly type: 'retryDue' }
  | { readonly type: 'drainOverdue' }
  | { readonly type: 'overdue'; readonly connectionId: number; readonly jitter: number }
  | { readonly type: 'ackOverdue'; readonly connectionId: number; readonly jitter: number }
  | { readonly type: 'paceDue' }
  | { readonly type: 'liftDue' }
  | { readonly type: 'pollDue'; readonly connectionId: number }
  | { readonly type: 'linkSaved'; readonly connectionId: number }
  /** The secrets of a login that is moved in are the device's, or could not be made so. */
  | { readonly type: 'adopted'; readonly login: AdoptedLogin; readonly connectionId: number; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'notAdopted'; readonly connectionId: number; readonly replyTo: ReplyTo<null> }
  /** No other program used the login for as long as one would have. */
  | { readonly type: 'watched' }
  | { readonly type: 'recovered'; readonly connectionId: number; readonly rows: readonly MessageRow[] }
  /** The next message, once its typing indicator was shown; it waits in its lane meanwhile. */
  | { readonly type: 'chosen'; readonly connectionId: number; readonly row: MessageRow }
  | {
      readonly type: 'claimed';
      readonly connectionId: number;
      readonly rows: readonly MessageRow[];
      readonly pauseMs: number;
      readonly isSpent?: boolean;
      /** When they were read, no others waited behind the gate of the claim. */
      readonly areAll?: boolean;
      /** Others may wait behind the gate of the claim, though there are no rows. */
      readonly isUnfinished?: boolean;
    }
  | { readonly type: 'typed'; readonly connectionId: number }
  /** The data that the network delivered under this token is stored. */
  | { readonly type: 'kept'; readonly connectionId: number; readonly token: string }
  /** The intent to do it is stored. */
  | { readonly type: 'intended'; readonly connectionId: number; readonly netId: string }
  /** Its message says that it was done; those that it superseded are over, too. */
  | { readonly type: 'applied'; readonly connectionId: number; readonly netIds: readonly string[] }
  /** Under way since an earlier connection. */
  | { readonly type: 'actionsRecovered'; readonly connectionId: number; readonly actions: readonly MessageAction[] }
  | { readonly type: 'actionOverdue'; readonly netId: string }
  /** The network refused it for the moment, some time ago. */
  | { readonly type: 'actionDue'; readonly netId: string }
  /** A message waits in its lane until then, epoch ms; null: it failed. */
  | { readonly type: 'heldBack'; readonly until: number | null }
  | { readonly type: 'heldBackDue' }
  | { readonly type: 'answered'; readonly to: object; readonly value: unknown }
  /** The network took the passkey of this ceremony. */
  | { readonly type: 'passkeyTaken'; readonly to: ReplyTo<null>; readonly ceremony: string }
  | { readonly type: 'refused'; readonly to: object; readonly error: Error }
  | { readonly type: 'deliverOverdue'; readonly netId: string }
  | { readonly type: 'deliverDue'; readonly netId: string }
  | { readonly type: 'questionDue' }
  /** The device is online for a while: it may ask for its groups. */
  | { readonly type: 'listDue' }
  /** A read or write failed: the state in memory may differ from the stored one. */
  | { readonly type: 'storeFailed'; readonly jitter: number }
  /** Another node owns this device now, or may do so any moment; or it was removed. */
  | { readonly type: 'fenced' };

/**
 *   down ──connect──▶ opening ──connectStarted──▶ linking ──linked──▶ (515) opening
 *    ▲                  ▲    └──connectStarted──▶ connecting ──opened──▶ online
 *    │ codes ran out,   │ retryDue                   │ closed               │ closed
 *    │ disconnect       └──── backingOff ◀───────────┴──────────────────────┘
 *   failed: logged out or banned; final until linked again (connect)
 */
export type ConnectionState =
  | { readonly phase: 'down'; readonly connectionId: number }
  | { readonly phase: 'opening'; readonly connectionId: number; readonly failures: number; readonly wantsCode: WantsCode | null }
  /**
   * `shown`: the network gave its first code; `byCode`: a caller asked for a code to type. `saved` becomes true when a phone linked and that
   * is stored; `over` when the network then closed (515) before it was.
   */
  | {
      readonly phase: 'linking';
      readonly connectionId: number;
      readonly wantsCode: WantsCode | null;
      readonly shown: boolean;
      readonly byCode: boolean;
      /** The passkey step after the code (behaviour/passkey.ts). */
      readonly passkey: PasskeyPairing | null;
      readonly saved: boolean;
      readonly over: boolean;
    }
  | { readonly phase: 'connecting'; readonly connectionId: number; readonly failures: number }
  | { readonly phase: 'online'; readonly connectionId: number; readonly failures: number; readonly since: number }
  | { readonly phase: 'backingOff'; readonly connectionId: number; readonly failures: number }
  | { readonly phase: 'failed'; readonly connectionId: number };

export type PasskeyPairing = Extract<DevicePairing, { readonly ceremony: unknown }>;
export type PasskeyStep = PasskeyPairing['step'];

export interface WantsCode {
  readonly digits: string;
  readonly replyTo: ReplyTo<PairingCode>;
}

type OnTheWire = { readonly id: string; readonly lane: number; readonly at: number };

/** A message without a row, such as a one-time code, whose caller waits. `refusals`: how often the network refused it for the moment. */
export interface Delivering {
  readonly message: OutgoingMessage;
  readonly replyTo: ReplyTo<null>;
  readonly refusals: number;
}

/** The outgoing side. Rows are in the store; this is only the wire and the next step. */
export interface SendingState {
  /** `recovering`: rows left on the wire by the last connection are being read; nothing new is claimed meanwhile. */
  readonly phase: 'closed' | 'recovering' | 'idle' | 'claiming' | 'typing';
  /** Nothing waits in the store behind gates up to this one, as far as known. */
  readonly emptyUpTo: Gate;
  /** The last row that was claimed while it was being stored. */
  readonly ahead: string | null;
  /** It is claimed when it looks as if it were written. */
  readonly typing: MessageRow | null;
  readonly onTheWire: ReadonlyMap<string, OnTheWire>;
  /** Given back by the connection; the next look sends them again. */
  readonly unwritten: ReadonlyMap<string, OnTheWire>;
  readonly pace: Pace;
  /** When messages that the network refused for the moment may leave, soonest first, epoch ms; those of an earlier process are not among them. */
  readonly heldBack: readonly number[];
  /** The network said that this device sends too much. */
  readonly slowed: Slowed;
  readonly delivering: ReadonlyMap<string, Delivering>;
}

export interface PendingAction {
  readonly action: MessageAction;
  /** Only then it may leave. */
  readonly isStored: boolean;
  /** How often the network refused it for the moment, over this connection; absent: never. */
  readonly refusals?: number;
  /** null: no caller waits for it any more. */
  readonly replyTo: ReplyTo<null> | null;
}

export interface DeviceState {
  readonly facts: DeviceFacts;
  /** As the last save decided. */
  readonly status: SessionStatus;
  readonly reason: string | null;
  readonly connection: ConnectionState;
  readonly sending: SendingState;
  /** Pending actions on messages over this connection, by network id. */
  readonly pendingActions: ReadonlyMap<string, PendingAction>;
  /** Who asked the network something and has no answer yet. */
  readonly pendingRequests: ReadonlySet<object>;
  /** Questions to the network (behaviour/questions.ts): `asked` has those that were asked, by who is answered. */
  readonly questions: {
    readonly waiting: readonly PendingQuestion[];
    readonly asked: ReadonlyMap<object, PendingQuestion>;
    readonly budget: QuestionBudget;
    /** The network said "too many" about groups: it is left alone until then, epoch ms. */
    readonly quietUntil: number;
    /** When the network said that the list of groups is another one. */
    readonly staleAt: number;
  };
  /** Who waits for us to have gone offline; nothing is claimed meanwhile. */
  readonly draining: ReplyTo<null> | null;
  /** Came while the device was on its way back to the network (behaviour/stash.ts). */
  readonly stash: readonly ConnectionCommand[];
}

export type Receipt = Safe<Extract<ConnectionEvent, { readonly type: 'receipt' }>>;

export type DeviceEffect =
  /** `proxyUrl`: the last known one; a newer stored one wins. `byItself`: neither a user nor a new link caused the login. */
  | {
      readonly do: 'connect';
      readonly connectionId: number;
      readonly credentials: Credentials | null;
      readonly proxyUrl: string | null;
      readonly byItself: boolean;
    }
  | { readonly do: 'readSettings' }
  | { readonly do: 'hangUp' }
  /** `sessionEvent` is stored in the same write. `replyTo` is answered, `receive` is delivered, once it is stored. */
  | {
      readonly do: 'save';
      readonly patch: DevicePatch;
      readonly sessionEvent?: SessionEvent;
      readonly replyTo?: ReplyTo<null>;
      readonly receive?: DeviceEvent;
    }
  | { readonly do: 'logOut' }
  | { readonly do: 'adopt'; readonly login: AdoptedLogin; readonly connectionId: number; readonly replyTo: ReplyTo<null> }
  /** Removes the stored secrets of a login that is over. */
  | { readonly do: 'forgetLogin' }
  | { readonly do: 'askCode'; readonly want: WantsCode }
  | {
      readonly do: 'answerPasskey';
      readonly credential: PasskeyCredential;
      readonly ceremony: string;
      readonly replyTo: ReplyTo<null>;
    }
  | { readonly do: 'confirmPasskey'; readonly replyTo: ReplyTo<null> }
  | { readonly do: 'askLookUp'; readonly digits: readonly string[]; readonly replyTo: ReplyTo<readonly LookedUp[]> }
  /** `own`: the digits of this device's number. */
  | { readonly do: 'askNetwork'; readonly question: NetworkQuestion; readonly replyTo: ReplyTo<unknown>; readonly own: string | null }
  | { readonly do: 'fetchFile'; readonly id: string; readonly replyTo: ReplyTo<string> }
  | { readonly do: 'recover'; readonly connectionId: number }
  /** The consequences of stored changes. */
  | { readonly do: 'processOutbox' }
  | {
      readonly do: 'claim';
      readonly connectionId: number;
      readonly limit: number;
      readonly pacing: Pacing;
      readonly turn: SendBudget;
      /** This message, if it still waits; null: the next one in turn. */
      readonly row: MessageRow | null;
      /** No other waited before it: where it does not wait, the next one in turn. */
      readonly isAhead?: true;
    }
  | { readonly do: 'transmit'; readonly message: OutgoingMessage }
  | { readonly do: 'markSent'; readonly id: string; readonly at: number; readonly serverId?: string; readonly wireId?: string }
  | { readonly do: 'markFailed'; readonly netId: string; readonly error: string }
  /** Nobody will learn any more what became of the messages on the wire. A save that is decided after it is stored after it. */
  | { readonly do: 'failOnWire' }
  | { readonly do: 'markReceipt'; readonly connectionId: number; readonly receipt: Receipt }
  /** `isOurs`: the number's owner wrote it elsewhere. */
  | { readonly do: 'storeInbound'; readonly connectionId: number; readonly message: Safe<InboundMessage>; readonly isOurs: boolean }
  | { readonly do: 'acknowledge'; readonly token: string }
  | MessageActionEffect;

/** Effects on earlier messages. */
export type MessageActionEffect =
  /** The network refused a message for the moment: it waits, or fails; `heldBack` says which. */
  | { readonly do: 'holdBack'; readonly netId: string; readonly refusal: TransientRefusal }
  /** `own`: the digits of this device's number. */
  | { readonly do: 'keep'; readonly connectionId: number; readonly event: ReceivedAction; readonly own: string | null }
  | { readonly do: 'intend'; readonly connectionId: number; readonly action: MessageAction }
  | { readonly do: 'transmitAction'; readonly action: MessageAction }
  | {
      readonly do: 'applyAction';
      readonly connectionId: number;
      readonly action: MessageAction;
      /** Others on its message, which would undo it if they were sent after it. */
      readonly superseded: readonly MessageAction[];
      readonly at: number;
    }
  | { readonly do: 'dropAction'; readonly action: MessageAction }
  | { readonly do: 'recoverActions'; readonly connectionId: number }
  | { readonly do: 'mirrorChats' | 'readHooks' }
  | { readonly do: 'sendReadReceipts'; readonly chat: string; readonly messages: readonly ReadMessage[] }
  /** Somebody writes in a chat. */
  | { readonly do: 'tellPresence'; readonly said: Safe<Extract<ConnectionEvent, { readonly type: 'chatPresence' }>> }
  | { readonly do: 'showPresence'; readonly chat: string; readonly state: Presence };

/** Actions of people that have no message row of their own. */
export type ReceivedAction = Safe<
  Exclude<KeptEvent, { readonly type: 'received' | 'wrote' | 'receipt' | 'groupsStale' | 'restricted' | 'lifted' }>
>;

/** The reaction of a device to one message. */
export type DeviceStep = Step<DeviceState, DeviceEffect | CoreEffect<DeviceEvent>>;

/** Only `network` effects wait for a proof of the lease: writes to the store name the epoch of the owner, and a later owner's wins. */
export const DEVICE_EFFECTS: EffectScopes<DeviceEffect> = {
  connect: 'network',
  readSettings: 'fenced',
  hangUp: 'fenced',
  save: 'fenced',
  logOut: 'network',
  adopt: 'fenced',
  forgetLogin: 'fenced',
  askCode: 'network',
  answerPasskey: 'network',
  confirmPasskey: 'network',
  askLookUp: 'network',
  askNetwork: 'network',
  fetchFile: 'network',
  recover: 'fenced',
  processOutbox: 'fenced',
  claim: 'fenced',
  transmit: 'network',
  markSent: 'fenced',
  markFailed: 'fenced',
  holdBack: 'fenced',
  failOnWire: 'fenced',
  markReceipt: 'fenced',
  storeInbound: 'fenced',
  acknowledge: 'network',
  keep: 'fenced',
  intend: 'fenced',
  transmitAction: 'network',
  applyAction: 'fenced',
  dropAction: 'fenced',
  recoverActions: 'fenced',
  mirrorChats: 'network',
  readHooks: 'fenced',
  sendReadReceipts: 'network',
  tellPresence: 'fenced',
  showPresence: 'network',
};
