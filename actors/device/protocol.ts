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

export type DeviceCommand =
  | { readonly type: 'connect'; readonly replyTo: ReplyTo<null> }
  /** Fails with CONFLICT if the device has failed. */
  | { readonly type: 'disconnect'; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'restart'; readonly replyTo: ReplyTo<null> }
  /** Takes over a login from another program. Fails with CONFLICT if the device has a login. */
  | { readonly type: 'adopt'; readonly login: AdoptedLogin; readonly replyTo: ReplyTo<null> }
  /** Fails with NOT_CONNECTED while offline, because the phone would not be notified. */
  | { readonly type: 'logOut'; readonly replyTo: ReplyTo<null> }
  /** Unlinks the device if it is online, then removes its data. Sent when a device is deleted. */
  | { readonly type: 'retire'; readonly replyTo: ReplyTo<null> }
  /** Fails with CONFLICT if the device is already linked. */
  | { readonly type: 'pairByCode'; readonly digits: string; readonly replyTo: ReplyTo<PairingCode> }
  /** Fails with NOT_FOUND if no request is open, or VALIDATION_FAILED if the network rejects it. */
  | { readonly type: 'answerPasskey'; readonly credential: PasskeyCredential; readonly replyTo: ReplyTo<null> }
  /** Fails with NOT_FOUND if no code is shown. */
  | { readonly type: 'confirmPasskey'; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'lookUp'; readonly digits: readonly string[]; readonly replyTo: ReplyTo<readonly LookedUp[]> }
  /** A change that fails with DEVICE_TIMEOUT may have taken effect. */
  // biome-ignore lint/suspicious/noExplicitAny: the type of the response depends on the name of the question (network/questions.ts); callers use one typed function
  | { readonly type: 'question'; readonly question: NetworkQuestion; readonly replyTo: ReplyTo<any> }
  | { readonly type: 'fetchFile'; readonly id: string; readonly replyTo: ReplyTo<string> }
  /** Sends a message without storing or queueing it. Fails with NOT_CONNECTED or NOT_DELIVERED. */
  | { readonly type: 'deliver'; readonly message: OutgoingMessage; readonly replyTo: ReplyTo<null> }
  /** Fails with NOT_CONNECTED, CONFLICT (from the network) or DEVICE_TIMEOUT (still pending). */
  | { readonly type: 'action'; readonly action: MessageAction; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'presence'; readonly chat: string; readonly state: Presence; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'markRead'; readonly chat: string; readonly messages: readonly ReadMessage[] }
  /** Prepares a handover. Without `must`, fails with CONFLICT during linking or if acks take too long. */
  | { readonly type: 'drain'; readonly must: boolean; readonly replyTo: ReplyTo<null> }
  /** Announces a message. If it is still being written (`ahead`), later writes commit after it. */
  | { readonly type: 'workArrived'; readonly ahead?: MessageRow; readonly id?: string }
  | { readonly type: 'pace'; readonly pacing: Pacing }
  | { readonly type: 'settingsChanged' }
  /** `buildChanged`: a new build, so a refused login is retried. `hookArrived`: a webhook was stored. */
  | { readonly type: 'buildChanged' | 'hookArrived' };

export type ConnectionCommand = Extract<
  DeviceCommand,
  { readonly type: 'lookUp' | 'question' | 'fetchFile' | 'deliver' | 'logOut' | 'action' | 'presence' }
>;

export interface PendingQuestion {
  readonly question: NetworkQuestion;
  readonly replyTo: ReplyTo<unknown>;
  readonly since: number;
  readonly others?: readonly ReplyTo<unknown>[];
}

export type ReadMessage = Pick<MessageKey, 'netId' | 'from'>;

export type DeviceEvent =
  | { readonly type: 'connectStarted'; readonly connectionId: number }
  /** `jitter` is in [0, 1). `version` is the client version announced at the login. */
  | {
      readonly type: 'connectionEvent';
      readonly connectionId: number;
      readonly said: Safe<ConnectionEvent>;
      readonly jitter: number;
      readonly version?: string;
    }
  | { readonly type: 'settings'; readonly settings: DeviceSettings }
  | { readonly type: 'retryDue' }
  | { readonly type: 'drainOverdue' }
  | { readonly type: 'overdue'; readonly connectionId: number; readonly jitter: number }
  | { readonly type: 'ackOverdue'; readonly connectionId: number; readonly jitter: number }
  | { readonly type: 'paceDue' }
  | { readonly type: 'liftDue' }
  | { readonly type: 'pollDue'; readonly connectionId: number }
  | { readonly type: 'linkSaved'; readonly connectionId: number }
  | { readonly type: 'adopted'; readonly login: AdoptedLogin; readonly connectionId: number; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'notAdopted'; readonly connectionId: number; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'watched' }
  | { readonly type: 'recovered'; readonly connectionId: number; readonly rows: readonly MessageRow[] }
  /** The next message to claim. It stays in the queue until its typing indicator was shown. */
  | { readonly type: 'chosen'; readonly connectionId: number; readonly row: MessageRow }
  | {
      readonly type: 'claimed';
      readonly connectionId: number;
      readonly rows: readonly MessageRow[];
      readonly pauseMs: number;
      readonly isSpent?: boolean;
      readonly areAll?: boolean;
      /** Whether more messages that the open gate allows may be waiting, even if `rows` is empty. */
      readonly isUnfinished?: boolean;
    }
  | { readonly type: 'typed'; readonly connectionId: number }
  | { readonly type: 'kept'; readonly connectionId: number; readonly token: string }
  | { readonly type: 'intended'; readonly connectionId: number; readonly netId: string }
  | { readonly type: 'applied'; readonly connectionId: number; readonly netIds: readonly string[] }
  | { readonly type: 'actionsRecovered'; readonly connectionId: number; readonly actions: readonly MessageAction[] }
  | { readonly type: 'actionOverdue'; readonly netId: string }
  | { readonly type: 'actionDue'; readonly netId: string }
  /** The refused message is sent again at `until`. Null if the message has failed instead. */
  | { readonly type: 'heldBack'; readonly until: number | null }
  | { readonly type: 'heldBackDue' }
  | { readonly type: 'answered'; readonly to: object; readonly value: unknown }
  | { readonly type: 'passkeyTaken'; readonly to: ReplyTo<null>; readonly ceremony: string }
  | { readonly type: 'refused'; readonly to: object; readonly error: Error }
  | { readonly type: 'deliverOverdue'; readonly netId: string }
  | { readonly type: 'deliverDue'; readonly netId: string }
  | { readonly type: 'questionDue' }
  | { readonly type: 'listDue' }
  /** A write or read failed, so the state in memory may differ from the stored state. */
  | { readonly type: 'storeFailed'; readonly jitter: number }
  /** Another node owns this device or may take it over at any moment, or the device was removed. */
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
  /** `shown`: the first code has arrived. `over`: the connection closed (515) before the link was stored. */
  | {
      readonly phase: 'linking';
      readonly connectionId: number;
      readonly wantsCode: WantsCode | null;
      readonly shown: boolean;
      readonly byCode: boolean;
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

export interface Delivering {
  readonly message: OutgoingMessage;
  readonly replyTo: ReplyTo<null>;
  readonly refusals: number;
}

export interface SendingState {
  /** `recovering`: the messages that a previous connection left unacknowledged are being read. */
  readonly phase: 'closed' | 'recovering' | 'idle' | 'claiming' | 'typing';
  /** No message that this gate allows is waiting in the store, as far as the device knows. */
  readonly emptyUpTo: Gate;
  readonly ahead: string | null;
  readonly typing: MessageRow | null;
  readonly onTheWire: ReadonlyMap<string, OnTheWire>;
  readonly unwritten: ReadonlyMap<string, OnTheWire>;
  readonly pace: Pace;
  /** Times at which refused messages may be resent, soonest first. Covers only refusals in this process. */
  readonly heldBack: readonly number[];
  readonly slowed: Slowed;
  readonly delivering: ReadonlyMap<string, Delivering>;
}

export interface PendingAction {
  readonly action: MessageAction;
  readonly isStored: boolean;
  readonly refusals?: number;
  readonly replyTo: ReplyTo<null> | null;
}

export interface DeviceState {
  readonly facts: DeviceFacts;
  readonly status: SessionStatus;
  readonly reason: string | null;
  readonly connection: ConnectionState;
  readonly sending: SendingState;
  readonly pendingActions: ReadonlyMap<string, PendingAction>;
  readonly pendingRequests: ReadonlySet<object>;
  readonly questions: {
    readonly waiting: readonly PendingQuestion[];
    readonly asked: ReadonlyMap<object, PendingQuestion>;
    readonly budget: QuestionBudget;
    /** No questions about groups are sent until this time, because the network reported too many of them. */
    readonly quietUntil: number;
    readonly staleAt: number;
  };
  readonly draining: ReplyTo<null> | null;
  readonly stash: readonly ConnectionCommand[];
}

export type Receipt = Safe<Extract<ConnectionEvent, { readonly type: 'receipt' }>>;

export type DeviceEffect =
  /** A newer `proxyUrl` in the store wins. `byItself`: no user or new link caused the connection. */
  | {
      readonly do: 'connect';
      readonly connectionId: number;
      readonly credentials: Credentials | null;
      readonly proxyUrl: string | null;
      readonly byItself: boolean;
    }
  | { readonly do: 'readSettings' }
  | { readonly do: 'hangUp' }
  /** `patch` and `sessionEvent` are stored in one write. Then `replyTo` and `receive` get their results. */
  | {
      readonly do: 'save';
      readonly patch: DevicePatch;
      readonly sessionEvent?: SessionEvent;
      readonly replyTo?: ReplyTo<null>;
      readonly receive?: DeviceEvent;
    }
  | { readonly do: 'logOut' }
  | { readonly do: 'adopt'; readonly login: AdoptedLogin; readonly connectionId: number; readonly replyTo: ReplyTo<null> }
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
  | { readonly do: 'askNetwork'; readonly question: NetworkQuestion; readonly replyTo: ReplyTo<unknown>; readonly own: string | null }
  | { readonly do: 'fetchFile'; readonly id: string; readonly replyTo: ReplyTo<string> }
  | { readonly do: 'recover'; readonly connectionId: number }
  | { readonly do: 'processOutbox' }
  | {
      readonly do: 'claim';
      readonly connectionId: number;
      readonly limit: number;
      readonly pacing: Pacing;
      readonly turn: SendBudget;
      readonly row: MessageRow | null;
      /** Set if `row` was the only waiting message. If it was cancelled, the next one is claimed. */
      readonly isAhead?: true;
    }
  | { readonly do: 'transmit'; readonly message: OutgoingMessage }
  | { readonly do: 'markSent'; readonly id: string; readonly at: number; readonly serverId?: string; readonly wireId?: string }
  | { readonly do: 'markFailed'; readonly netId: string; readonly error: string }
  /** Fails messages whose outcome can no longer be determined. Later saves wait until this is done. */
  | { readonly do: 'failOnWire' }
  | { readonly do: 'markReceipt'; readonly connectionId: number; readonly receipt: Receipt }
  /** `isOurs`: the number's owner wrote the message on another device. */
  | { readonly do: 'storeInbound'; readonly connectionId: number; readonly message: Safe<InboundMessage>; readonly isOurs: boolean }
  | { readonly do: 'acknowledge'; readonly token: string }
  | MessageActionEffect;

export type MessageActionEffect =
  | { readonly do: 'holdBack'; readonly netId: string; readonly refusal: TransientRefusal }
  | { readonly do: 'keep'; readonly connectionId: number; readonly event: ReceivedAction; readonly own: string | null }
  | { readonly do: 'intend'; readonly connectionId: number; readonly action: MessageAction }
  | { readonly do: 'transmitAction'; readonly action: MessageAction }
  | {
      readonly do: 'applyAction';
      readonly connectionId: number;
      readonly action: MessageAction;
      /** Earlier actions on this message. If they were sent after `action`, they would undo it. */
      readonly superseded: readonly MessageAction[];
      readonly at: number;
    }
  | { readonly do: 'dropAction'; readonly action: MessageAction }
  | { readonly do: 'recoverActions'; readonly connectionId: number }
  | { readonly do: 'mirrorChats' | 'readHooks' }
  | { readonly do: 'sendReadReceipts'; readonly chat: string; readonly messages: readonly ReadMessage[] }
  | { readonly do: 'tellPresence'; readonly said: Safe<Extract<ConnectionEvent, { readonly type: 'chatPresence' }>> }
  | { readonly do: 'showPresence'; readonly chat: string; readonly state: Presence };

export type ReceivedAction = Safe<
  Exclude<KeptEvent, { readonly type: 'received' | 'wrote' | 'receipt' | 'groupsStale' | 'restricted' | 'lifted' }>
>;

export type DeviceStep = Step<DeviceState, DeviceEffect | CoreEffect<DeviceEvent>>;

/** The store rejects `fenced` writes of a former owner; only `network` effects must check the lease. */
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
