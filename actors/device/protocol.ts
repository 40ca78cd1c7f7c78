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
  /** Start linking or reconnecting; has no effect if the device is already doing so. */
  | { readonly type: 'connect'; readonly replyTo: ReplyTo<null> }
  /** Go offline and stay offline. Fails with CONFLICT on a failed device. */
  | { readonly type: 'disconnect'; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'restart'; readonly replyTo: ReplyTo<null> }
  /** Take over a login from another program and connect with it. Fails with CONFLICT on a device that has a login. */
  | { readonly type: 'adopt'; readonly login: AdoptedLogin; readonly replyTo: ReplyTo<null> }
  /** Unlink from the phone. Fails with NOT_CONNECTED while offline, because the phone would not be notified. */
  | { readonly type: 'logOut'; readonly replyTo: ReplyTo<null> }
  /** The device is being deleted: unlink if online, forget everything, end. */
  | { readonly type: 'retire'; readonly replyTo: ReplyTo<null> }
  /** Request a code to type on the phone `digits`; starts linking if needed. Fails with CONFLICT on a linked device. */
  | { readonly type: 'pairByCode'; readonly digits: string; readonly replyTo: ReplyTo<PairingCode> }
  /** Answer the network's passkey request. Fails with NOT_FOUND when none is open, VALIDATION_FAILED when the network rejects the passkey. */
  | { readonly type: 'answerPasskey'; readonly credential: PasskeyCredential; readonly replyTo: ReplyTo<null> }
  /** Confirm that the code shown matches the one on the phone. Fails with NOT_FOUND when no code is shown. */
  | { readonly type: 'confirmPasskey'; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'lookUp'; readonly digits: readonly string[]; readonly replyTo: ReplyTo<readonly LookedUp[]> }
  /**
   * Fails with NOT_CONNECTED, OVERLOADED, RATE_LIMITED (not sent), DEVICE_TIMEOUT (a change may have
   * happened), NOT_FOUND.
   */
  // biome-ignore lint/suspicious/noExplicitAny: its answer is that of its name (network/questions.ts), which callers get from one typed function
  | { readonly type: 'question'; readonly question: NetworkQuestion; readonly replyTo: ReplyTo<any> }
  /** Fetch a file left on the network; the result is its key. Fails like effects/deferred-media.ts. */
  | { readonly type: 'fetchFile'; readonly id: string; readonly replyTo: ReplyTo<string> }
  /**
   * Send now, ahead of the queue, without a row (one-time codes). Gets its reply on the network's
   * ack; fails with NOT_CONNECTED, NOT_DELIVERED.
   */
  | { readonly type: 'deliver'; readonly message: OutgoingMessage; readonly replyTo: ReplyTo<null> }
  /**
   * Gets its reply when the action is stored. Fails with NOT_CONNECTED, CONFLICT (from the network)
   * and DEVICE_TIMEOUT (still pending).
   */
  | { readonly type: 'action'; readonly action: MessageAction; readonly replyTo: ReplyTo<null> }
  /** Show a typing indicator in a chat. Gets its reply when the indicator is sent; fails with NOT_CONNECTED. */
  | { readonly type: 'presence'; readonly chat: string; readonly state: Presence; readonly replyTo: ReplyTo<null> }
  /** Send read receipts for these messages; has no effect while offline. */
  | { readonly type: 'markRead'; readonly chat: string; readonly messages: readonly ReadMessage[] }
  /**
   * Stop claiming, wait for messages on the wire, then disconnect without logging out. Unless
   * `must`, fails with CONFLICT while linking, and when acks are missing after 8 s; the device then
   * continues.
   */
  | { readonly type: 'drain'; readonly must: boolean; readonly replyTo: ReplyTo<null> }
  /** A hint; may be lost. `ahead`: a row being written; a write begun now commits after it. `id`: a stored row. */
  | { readonly type: 'workArrived'; readonly ahead?: MessageRow; readonly id?: string }
  | { readonly type: 'pace'; readonly pacing: Pacing }
  /** A hint that the device's settings changed: they are read again. A new proxy applies from the next connection. */
  | { readonly type: 'settingsChanged' }
  /**
   * `buildChanged`: the client build changed, and a refused login retries at once. `hookArrived`:
   * platform webhooks were stored.
   */
  | { readonly type: 'buildChanged' | 'hookArrived' };

export type ConnectionCommand = Extract<
  DeviceCommand,
  { readonly type: 'lookUp' | 'question' | 'fetchFile' | 'deliver' | 'logOut' | 'action' | 'presence' }
>;

/** A question waiting to be sent to the network. `since`: when it arrived, epoch ms. */
export interface PendingQuestion {
  readonly question: NetworkQuestion;
  readonly replyTo: ReplyTo<unknown>;
  readonly since: number;
  /** Other callers that requested the same list and get the same response. */
  readonly others?: readonly ReplyTo<unknown>[];
}

export type ReadMessage = Pick<MessageKey, 'netId' | 'from'>;

/** Events from the device's own connection, store and timers; `connectionId` lets it ignore events of old connections. */
export type DeviceEvent =
  | { readonly type: 'connectStarted'; readonly connectionId: number }
  /** `jitter` in [0, 1) randomises the pauses that follow; `version` is the client version that the login announced. */
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
  /** The secrets of a login that is being moved in were stored for this device (`adopted`), or could not be (`notAdopted`). */
  | { readonly type: 'adopted'; readonly login: AdoptedLogin; readonly connectionId: number; readonly replyTo: ReplyTo<null> }
  | { readonly type: 'notAdopted'; readonly connectionId: number; readonly replyTo: ReplyTo<null> }
  /** The watch after a move ended, and no other program used the login. */
  | { readonly type: 'watched' }
  | { readonly type: 'recovered'; readonly connectionId: number; readonly rows: readonly MessageRow[] }
  /** The next message to send after its typing indicator; until then it stays in its lane. */
  | { readonly type: 'chosen'; readonly connectionId: number; readonly row: MessageRow }
  | {
      readonly type: 'claimed';
      readonly connectionId: number;
      readonly rows: readonly MessageRow[];
      readonly pauseMs: number;
      readonly isSpent?: boolean;
      /** Whether these were all rows behind the gate of the claim. */
      readonly areAll?: boolean;
      /** Whether more rows may wait behind the gate of the claim, even if `rows` is empty. */
      readonly isUnfinished?: boolean;
    }
  | { readonly type: 'typed'; readonly connectionId: number }
  /** The data that the network delivered with this token is stored. */
  | { readonly type: 'kept'; readonly connectionId: number; readonly token: string }
  | { readonly type: 'intended'; readonly connectionId: number; readonly netId: string }
  /** The stored message shows the action; actions that it superseded are finished too. */
  | { readonly type: 'applied'; readonly connectionId: number; readonly netIds: readonly string[] }
  | { readonly type: 'actionsRecovered'; readonly connectionId: number; readonly actions: readonly MessageAction[] }
  | { readonly type: 'actionOverdue'; readonly netId: string }
  | { readonly type: 'actionDue'; readonly netId: string }
  /** A refused message waits in its lane until `until`, epoch ms; null when it failed. */
  | { readonly type: 'heldBack'; readonly until: number | null }
  | { readonly type: 'heldBackDue' }
  | { readonly type: 'answered'; readonly to: object; readonly value: unknown }
  | { readonly type: 'passkeyTaken'; readonly to: ReplyTo<null>; readonly ceremony: string }
  | { readonly type: 'refused'; readonly to: object; readonly error: Error }
  | { readonly type: 'deliverOverdue'; readonly netId: string }
  | { readonly type: 'deliverDue'; readonly netId: string }
  | { readonly type: 'questionDue' }
  | { readonly type: 'listDue' }
  /** A read or write failed: the state in memory may differ from the stored state. */
  | { readonly type: 'storeFailed'; readonly jitter: number }
  /** Another node owns this device, or may take it at any moment; or the device was removed. */
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
   * `shown`: the first code has arrived. `byCode`: a caller requested a code. `saved`: the link is
   * stored. `over`: the connection closed (515) before the link was stored.
   */
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

/** A message without a row, such as a one-time code, and its waiting caller. `refusals`: number of transient refusals by the network. */
export interface Delivering {
  readonly message: OutgoingMessage;
  readonly replyTo: ReplyTo<null>;
  readonly refusals: number;
}

/** State of sending. Rows are in the store; this holds only the messages on the wire and the next step. */
export interface SendingState {
  /** `recovering`: rows left on the wire by the last connection are being read; until then, rows are not claimed. */
  readonly phase: 'closed' | 'recovering' | 'idle' | 'claiming' | 'typing';
  /** Queues behind gates up to this one are empty in the store, as far as known. */
  readonly emptyUpTo: Gate;
  /** Id of the last row claimed while its write was still in progress. */
  readonly ahead: string | null;
  /** The row being typed; claimed when its typing indicator ends. */
  readonly typing: MessageRow | null;
  readonly onTheWire: ReadonlyMap<string, OnTheWire>;
  /** Messages that the connection could not write; the next poll resends them. */
  readonly unwritten: ReadonlyMap<string, OnTheWire>;
  readonly pace: Pace;
  /**
   * When messages with a transient refusal may be sent again, epoch ms, soonest first; excludes
   * messages held back by an earlier process.
   */
  readonly heldBack: readonly number[];
  readonly slowed: Slowed;
  readonly delivering: ReadonlyMap<string, Delivering>;
}

export interface PendingAction {
  readonly action: MessageAction;
  /** Whether the intent is stored; the action is sent only then. */
  readonly isStored: boolean;
  /** Number of transient refusals over this connection; absent when zero. */
  readonly refusals?: number;
  /** null when no caller waits for the action. */
  readonly replyTo: ReplyTo<null> | null;
}

export interface DeviceState {
  readonly facts: DeviceFacts;
  /** Status as of the last save. */
  readonly status: SessionStatus;
  readonly reason: string | null;
  readonly connection: ConnectionState;
  readonly sending: SendingState;
  readonly pendingActions: ReadonlyMap<string, PendingAction>;
  readonly pendingRequests: ReadonlySet<object>;
  /** Questions to the network (behaviour/questions.ts). `asked`: sent ones, by their `replyTo`. */
  readonly questions: {
    readonly waiting: readonly PendingQuestion[];
    readonly asked: ReadonlyMap<object, PendingQuestion>;
    readonly budget: QuestionBudget;
    /** No group questions before this time, epoch ms; set when the network reports too many. */
    readonly quietUntil: number;
    /** When the network last reported a changed group list, epoch ms. */
    readonly staleAt: number;
  };
  /** The caller of `drain`; null when not draining. Rows are not claimed while draining. */
  readonly draining: ReplyTo<null> | null;
  readonly stash: readonly ConnectionCommand[];
}

export type Receipt = Safe<Extract<ConnectionEvent, { readonly type: 'receipt' }>>;

export type DeviceEffect =
  /** `proxyUrl`: the last known proxy; a newer stored one wins. `byItself`: whether neither a user nor a new link caused the login. */
  | {
      readonly do: 'connect';
      readonly connectionId: number;
      readonly credentials: Credentials | null;
      readonly proxyUrl: string | null;
      readonly byItself: boolean;
    }
  | { readonly do: 'readSettings' }
  | { readonly do: 'hangUp' }
  /**
   * `sessionEvent` is stored in the same write. After that write, `replyTo` gets its reply and
   * `receive` is delivered.
   */
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
  /** `own`: the digits of this device's number. */
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
      /** The message to claim, if it still waits; null for the next one in order. */
      readonly row: MessageRow | null;
      /** Set if no other row was waiting before `row`; if `row` no longer waits, the next row in order is claimed. */
      readonly isAhead?: true;
    }
  | { readonly do: 'transmit'; readonly message: OutgoingMessage }
  | { readonly do: 'markSent'; readonly id: string; readonly at: number; readonly serverId?: string; readonly wireId?: string }
  | { readonly do: 'markFailed'; readonly netId: string; readonly error: string }
  /** Fails messages on the wire, whose outcome can no longer be known. Later saves are stored after this effect. */
  | { readonly do: 'failOnWire' }
  | { readonly do: 'markReceipt'; readonly connectionId: number; readonly receipt: Receipt }
  /** `isOurs`: whether the number's owner wrote the message on another device. */
  | { readonly do: 'storeInbound'; readonly connectionId: number; readonly message: Safe<InboundMessage>; readonly isOurs: boolean }
  | { readonly do: 'acknowledge'; readonly token: string }
  | MessageActionEffect;

export type MessageActionEffect =
  /** Handles a transient refusal of a message: the row waits or fails; `heldBack` reports which. */
  | { readonly do: 'holdBack'; readonly netId: string; readonly refusal: TransientRefusal }
  /** `own`: the digits of this device's number. */
  | { readonly do: 'keep'; readonly connectionId: number; readonly event: ReceivedAction; readonly own: string | null }
  | { readonly do: 'intend'; readonly connectionId: number; readonly action: MessageAction }
  | { readonly do: 'transmitAction'; readonly action: MessageAction }
  | {
      readonly do: 'applyAction';
      readonly connectionId: number;
      readonly action: MessageAction;
      /** Earlier actions on the same message, which would undo `action` if they were sent after it. */
      readonly superseded: readonly MessageAction[];
      readonly at: number;
    }
  | { readonly do: 'dropAction'; readonly action: MessageAction }
  | { readonly do: 'recoverActions'; readonly connectionId: number }
  | { readonly do: 'mirrorChats' | 'readHooks' }
  | { readonly do: 'sendReadReceipts'; readonly chat: string; readonly messages: readonly ReadMessage[] }
  | { readonly do: 'tellPresence'; readonly said: Safe<Extract<ConnectionEvent, { readonly type: 'chatPresence' }>> }
  | { readonly do: 'showPresence'; readonly chat: string; readonly state: Presence };

/** Received events that have no message row of their own. */
export type ReceivedAction = Safe<
  Exclude<KeptEvent, { readonly type: 'received' | 'wrote' | 'receipt' | 'groupsStale' | 'restricted' | 'lifted' }>
>;

export type DeviceStep = Step<DeviceState, DeviceEffect | CoreEffect<DeviceEvent>>;

/** Only `network` effects wait for proof of the lease; store writes carry the owner's epoch, and a later owner's writes win. */
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
