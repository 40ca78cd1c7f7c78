import { type Behaviour, refuse, reply, stop, unreachable } from '../../../runtime/actor-system/behaviour.ts';
import { refusal } from '../../domain/refusals.ts';
import { STORIES } from '../../network/jid.ts';
import type { ConnectionCommand, DeviceCommand, DeviceEffect, DeviceEvent, DeviceState, DeviceStep, ReceivedAction } from '../protocol.ts';
import * as connection from './connection.ts';
import { save } from './connection-steps.ts';
import type { DeviceFacts } from './facts.ts';
import * as handover from './handover.ts';
import * as linking from './linking.ts';
import * as pendingActions from './message-actions.ts';
import * as moveIn from './move-in.ts';
import * as passkey from './passkey.ts';
import * as questions from './questions.ts';
import * as restriction from './restriction.ts';
import * as sending from './sending.ts';
import { withSessionEvents } from './session-events.ts';
import { elsewhere, isComingBack, isLeaving, wait } from './stash.ts';

export const device: Behaviour<DeviceFacts, DeviceState, DeviceCommand, DeviceEvent, DeviceEffect> = {
  kind: 'device',

  start(facts, now) {
    const asleep: DeviceState = {
      facts,
      status: facts.status,
      reason: facts.reason,
      connection: { phase: 'down', connectionId: 0 },
      sending: sending.asleep(facts),
      pendingActions: new Map(),
      pendingRequests: new Set(),
      questions: questions.NO_QUESTIONS,
      draining: null,
      stash: [],
    };
    return withSessionEvents(connection.wake(asleep, now), now);
  },

  handle(state, msg, now) {
    const [next, ...effects] = react(state, msg, now);
    const [drained, ...draining] = next.draining && sending.isQuiet(next) ? handover.rest(next, next.draining) : ([next] as const);
    const [settled, ...settling] = replayStash(drained, now);
    return withSessionEvents(moveIn.withMoveEnded([settled, ...effects, ...draining, ...settling]), now);
  },

  canSleep: ({ connection }) => connection.phase === 'down' || connection.phase === 'failed',
};

function replayStash(state: DeviceState, now: number): DeviceStep {
  if (state.stash.length === 0 || isComingBack(state)) return [state];
  return state.stash.reduce<DeviceStep>(
    ([so, ...effects], command) => {
      const [next, ...more] = react(so, command, now);
      return [next, ...effects, ...more];
    },
    [{ ...state, stash: [] }],
  );
}

function react(state: DeviceState, msg: DeviceCommand | DeviceEvent, now: number): DeviceStep {
  switch (msg.type) {
    case 'connect':
      return connection.connect(state, msg.replyTo);
    case 'disconnect':
      return connection.disconnect(state, msg.replyTo);
    case 'restart':
      return connection.restart(state, msg.replyTo);
    case 'adopt':
      return moveIn.adopt(state, msg.login, msg.replyTo);
    case 'logOut':
    case 'lookUp':
    case 'question':
    case 'fetchFile':
    case 'deliver':
    case 'action':
    case 'presence':
      return overTheConnection(state, msg, now);
    case 'markRead':
      return state.connection.phase === 'online' ? [state, { do: 'sendReadReceipts', chat: msg.chat, messages: msg.messages }] : [state];
    case 'retire':
      return retire(state, msg);
    case 'pairByCode':
      return linking.pairByCode(state, { digits: msg.digits, replyTo: msg.replyTo });
    case 'answerPasskey':
      return passkey.answer(state, msg.credential, msg.replyTo);
    case 'confirmPasskey':
      return passkey.confirm(state, msg.replyTo);
    case 'drain':
      return handover.drain(state, msg.must, msg.replyTo);
    case 'workArrived':
      return sending.workArrived(state, msg, now);
    case 'pace':
      return connection.repaced(state, msg.pacing, now);
    case 'settingsChanged':
      return [state, { do: 'readSettings' }];
    case 'buildChanged':
      return connection.buildChanged(state);
    case 'hookArrived':
      return [state, { do: 'readHooks' }];
    default:
      return receive(state, msg, now);
  }
}

function receive(state: DeviceState, event: DeviceEvent, now: number): DeviceStep {
  switch (event.type) {
    case 'answered':
      return answeredTo(state, event.to, { do: 'reply', to: event.to, value: event.value }, now);
    case 'passkeyTaken':
      return passkey.taken(state, event.ceremony, event.to);
    case 'refused':
      return answeredTo(state, event.to, { do: 'refuse', to: event.to, error: event.error }, now);
    case 'questionDue':
      return questions.pump(state, now);
    case 'listDue':
      return questions.listDue(state, now);
    case 'deliverOverdue':
      return sending.deliverOverdue(state, event.netId);
    case 'deliverDue':
      return sending.deliverDue(state, event.netId);
    case 'actionOverdue':
      return pendingActions.overdue(state, event.netId, now);
    case 'actionDue':
      return pendingActions.due(state, event.netId);
    case 'heldBack':
      return sending.heldBack(state, event.until, now);
    case 'heldBackDue':
      return sending.heldBackDue(state, now);
    case 'settings':
      return connection.changed(state, event.settings, now);
    case 'retryDue':
      return connection.retryDue(state);
    case 'drainOverdue':
      return handover.drainOverdue(state, now);
    case 'paceDue':
      return sending.pump(state, now);
    case 'liftDue':
      return restriction.liftDue(state, now);
    case 'adopted':
      return moveIn.adopted(state, event, now);
    case 'notAdopted':
      return moveIn.notAdopted(state, event);
    case 'watched':
      return moveIn.watched(state);
    case 'storeFailed':
      return connection.storeFailed(state, event.jitter, now);
    case 'fenced':
      return [state, { do: 'hangUp' }, stop];
    default:
      // Drop late events of an earlier connection.
      return event.connectionId === state.connection.connectionId ? onConnectionEvent(state, event, now) : [state];
  }
}

type OfAConnection = Exclude<Extract<DeviceEvent, { readonly connectionId: number }>, { readonly type: 'adopted' | 'notAdopted' }>;

function onConnectionEvent(state: DeviceState, event: OfAConnection, now: number): DeviceStep {
  switch (event.type) {
    case 'connectStarted':
      return connection.dialled(state);
    case 'connectionEvent':
      return connectionEvent(state, event, now);
    case 'overdue':
      return connection.overdue(state, event.jitter, now);
    case 'ackOverdue':
      return sending.silentTooLong(state, now) ? connection.overdue(state, event.jitter, now) : sending.watch(state, now);
    case 'pollDue':
      return sending.pollDue(state);
    case 'linkSaved':
      return linking.linkSaved(state);
    case 'recovered':
      return sending.recovered(state, event.rows, now);
    case 'chosen':
      return sending.chosen(state, event.row);
    case 'claimed':
      return sending.claimed(state, event, now);
    case 'typed':
      return sending.typingOver(state, now);
    case 'kept':
      return [state, { do: 'acknowledge', token: event.token }];
    case 'intended':
      return pendingActions.intended(state, event.netId);
    case 'applied':
      return pendingActions.applied(state, event.netIds);
    case 'actionsRecovered':
      return pendingActions.recovered(state, event.actions, now);
    default:
      return unreachable(event);
  }
}

function connectionEvent(state: DeviceState, event: Extract<DeviceEvent, { type: 'connectionEvent' }>, now: number): DeviceStep {
  const { said, jitter, version = null } = event;
  switch (said.type) {
    case 'qr':
      return linking.qrShown(state, said);
    case 'passkeyAsked':
      return passkey.asked(state, said, now);
    case 'passkeyConfirm':
      return passkey.codeShown(state, said, now);
    case 'linked':
      return linking.linked(state, said, now);
    case 'opened':
      return connection.opened(state, { ...said, version }, jitter, now);
    case 'buildExpires':
    case 'unknown':
      // The effects layer forwards this event, because it concerns the whole cluster.
      return [state];
    case 'profile':
      return [state, save({ wa_name: said.name, wa_about: said.about })];
    case 'credentials':
      return connection.credentialsChanged(state, said);
    case 'closed':
      return connection.closed(state, { ...said, version }, jitter, now);
    case 'acked':
      return pendingActions.acked(state, said.netId, said.at) ?? sending.acked(state, said, now);
    case 'refused':
      return pendingActions.refusedByNetwork(state, said) ?? sending.refusedByNetwork(state, said, now);
    case 'unwritten':
      return sending.unwritten(state, said.netId, now);
    case 'chatPresence':
      return isIgnored(state.facts, said.chat) ? [state] : [state, { do: 'tellPresence', said }];
    case 'receipt':
      return sending.receipt(state, said, now);
    case 'received':
    case 'wrote':
      return received(state, said);
    case 'reaction':
    case 'edited':
    case 'deleted':
    case 'vote':
    case 'call':
    case 'timer':
    case 'callEnded':
    case 'seen':
      return isIgnored(state.facts, said.chat) ? [state, { do: 'acknowledge', token: said.token }] : keep(state, said);
    case 'identity':
    case 'facts':
    case 'chatMarks':
    case 'phoneChanges':
    case 'memberReceipts':
    case 'postStats':
    case 'statusViewed':
      return keep(state, said);
    case 'history':
      return keep(state, { ...said, messages: said.messages.filter(({ chat }) => !isIgnored(state.facts, chat)) });
    case 'groupsStale':
      return questions.groupsStale(state, said, { jitter, now });
    case 'restricted':
    case 'lifted':
      return restriction.restricted(state, said, now);
    default:
      return unreachable(said);
  }
}

type EventOf<T> = Extract<Extract<DeviceEvent, { type: 'connectionEvent' }>['said'], { readonly type: T }>;

function received(state: DeviceState, { type, message }: EventOf<'received' | 'wrote'>): DeviceStep {
  if (isIgnored(state.facts, message.chat)) return [state, { do: 'acknowledge', token: message.token ?? message.netId }];
  return [state, { do: 'storeInbound', connectionId: state.connection.connectionId, message, isOurs: type === 'wrote' }];
}

const keep = (state: DeviceState, event: ReceivedAction): DeviceStep => [
  state,
  { do: 'keep', connectionId: state.connection.connectionId, event, own: state.facts.phone },
];

function isIgnored({ ignore }: DeviceFacts, chat: string): boolean {
  if (chat === STORIES) return true;
  if (chat.endsWith('@g.us')) return ignore.groups;
  return chat.endsWith('@newsletter') && ignore.channels;
}

function overTheConnection(state: DeviceState, command: ConnectionCommand, now: number): DeviceStep {
  if (isComingBack(state)) return wait(state, command);
  if (state.draining || isLeaving(state)) return [state, elsewhere(command)];
  switch (command.type) {
    case 'logOut':
      return connection.logOut(state, command.replyTo);
    case 'lookUp':
      return lookUp(state, command);
    case 'question':
      return questions.ask(state, command, now);
    case 'fetchFile':
      return fetchFile(state, command);
    case 'deliver':
      return sending.deliver(state, command.message, command.replyTo);
    case 'action':
      return pendingActions.action(state, command.action, command.replyTo);
    case 'presence':
      return showPresence(state, command);
    default:
      return unreachable(command);
  }
}

function lookUp(state: DeviceState, { digits, replyTo }: Extract<DeviceCommand, { type: 'lookUp' }>): DeviceStep {
  if (state.connection.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  return [withPendingRequest(state, replyTo), { do: 'askLookUp', digits, replyTo }];
}

function fetchFile(state: DeviceState, { id, replyTo }: Extract<DeviceCommand, { type: 'fetchFile' }>): DeviceStep {
  if (state.connection.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  return [withPendingRequest(state, replyTo), { do: 'fetchFile', id, replyTo }];
}

const withPendingRequest = (state: DeviceState, who: object): DeviceState => ({
  ...state,
  pendingRequests: new Set(state.pendingRequests).add(who),
});

function showPresence(state: DeviceState, { chat, state: shown, replyTo }: Extract<DeviceCommand, { type: 'presence' }>): DeviceStep {
  if (state.connection.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  return [state, { do: 'showPresence', chat, state: shown }, reply(replyTo, null)];
}

function answeredTo(state: DeviceState, to: object, told: questions.Told, now: number): DeviceStep {
  const pendingRequests = new Set(state.pendingRequests);
  pendingRequests.delete(to);
  return questions.answered({ ...state, pendingRequests }, to, told, now);
}

function retire(state: DeviceState, { replyTo }: Extract<DeviceCommand, { type: 'retire' }>): DeviceStep {
  const farewell: DeviceEffect = state.connection.phase === 'online' ? { do: 'logOut' } : { do: 'hangUp' };
  return [state, farewell, reply(replyTo, null), stop];
}
