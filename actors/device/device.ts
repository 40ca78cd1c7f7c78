import { type Behaviour, refuse, reply, stop, unreachable } from '../../runtime/behaviour.ts';
import { refusal } from '../refusals.ts';
import * as acting from './acting.ts';
import * as connection from './connection.ts';
import { elsewhere, isComingBack, isLeaving, wait } from './early.ts';
import * as handover from './handover.ts';
import { save } from './line.ts';
import * as linking from './linking.ts';
import * as outbox from './outbox.ts';
import * as passkey from './passkey.ts';
import type { DeviceCommand, DeviceEffect, DeviceEvent, DeviceFacts, DeviceState, DeviceStep, LineCommand, ToldAct } from './protocol.ts';
import * as restriction from './restriction.ts';

/** One linked phone: its connection (connection.ts), what it sends (outbox.ts) and what it hears. The phases are drawn in protocol.ts. */
export const device: Behaviour<DeviceFacts, DeviceState, DeviceCommand, DeviceEvent, DeviceEffect> = {
  kind: 'device',

  start: (facts) =>
    connection.wake({
      facts,
      line: { phase: 'down', dial: 0 },
      outbox: outbox.closed,
      acting: new Map(),
      asking: new Set(),
      draining: null,
      early: [],
    }),

  handle(state, msg, now) {
    const [next, ...effects] = react(state, msg, now);
    const [rested, ...resting] = next.draining && outbox.isQuiet(next) ? handover.rest(next, next.draining) : ([next] as const);
    const [settled, ...settling] = settleEarly(rested, now);
    return [settled, ...effects, ...resting, ...settling];
  },

  canSleep: ({ line }) => line.phase === 'down' || line.phase === 'failed',
};

/** Once the line is open, or is known not to be, what waited for it is done or refused. */
function settleEarly(state: DeviceState, now: number): DeviceStep {
  if (state.early.length === 0 || isComingBack(state)) return [state];
  return state.early.reduce<DeviceStep>(
    ([so, ...effects], command) => {
      const [next, ...more] = react(so, command, now);
      return [next, ...effects, ...more];
    },
    [{ ...state, early: [] }],
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
    case 'logOut':
    case 'lookUp':
    case 'fetchFile':
    case 'deliver':
    case 'act':
    case 'presence':
      return overTheLine(state, msg);
    case 'markRead':
      return state.line.phase === 'online' ? [state, { do: 'tellRead', chat: msg.chat, messages: msg.messages }] : [state];
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
      return outbox.workArrived(state, now);
    case 'pace':
      return connection.repaced(state, msg.pacing, now);
    case 'adjust':
      return [{ ...state, facts: { ...state.facts, ignore: msg.ignore, proxyUrl: msg.proxyUrl } }];
    default:
      return hear(state, msg, now);
  }
}

function hear(state: DeviceState, event: DeviceEvent, now: number): DeviceStep {
  switch (event.type) {
    case 'answered':
      return [heardFor(state, event.to), { do: 'reply', to: event.to, value: event.value }];
    case 'refused':
      return [heardFor(state, event.to), { do: 'refuse', to: event.to, error: event.error }];
    case 'deliverOverdue':
      return outbox.deliverOverdue(state, event.netId);
    case 'actOverdue':
      return acting.overdue(state, event.netId);
    case 'retryDue':
      return connection.retryDue(state);
    case 'drainOverdue':
      return handover.drainOverdue(state, now);
    case 'paceDue':
      return outbox.pump(state, now);
    case 'liftDue':
      return restriction.liftDue(state, now);
    case 'storeFailed':
      return connection.storeFailed(state, event.luck, now);
    case 'fenced':
      return [state, { do: 'hangUp' }, stop];
    default:
      // Everything else carries the line it belongs to; late speech of an old one ends here.
      return event.dial === state.line.dial ? hearLine(state, event, now) : [state];
  }
}

type OfALine = Extract<DeviceEvent, { readonly dial: number }>;

function hearLine(state: DeviceState, event: OfALine, now: number): DeviceStep {
  switch (event.type) {
    case 'dialled':
      return connection.dialled(state);
    case 'lineSaid':
      return lineSaid(state, event, now);
    case 'overdue':
      return connection.overdue(state, event.luck, now);
    case 'ackOverdue':
      return outbox.silentTooLong(state, now) ? connection.overdue(state, event.luck, now) : outbox.watch(state, now);
    case 'lookDue':
      return outbox.lookDue(state);
    case 'linkSaved':
      return linking.linkSaved(state);
    case 'recovered':
      return outbox.recovered(state, event.rows, now);
    case 'chosen':
      return outbox.chosen(state, event.row);
    case 'claimed':
      return outbox.claimed(state, event, now);
    case 'typed':
      return outbox.typingOver(state, now);
    case 'kept':
      return [state, { do: 'acknowledge', token: event.token }];
    case 'intended':
      return acting.intended(state, event.netId);
    case 'applied':
      return acting.applied(state, event.netId);
    case 'actsRecovered':
      return acting.recovered(state, event.acts, now);
    default:
      return unreachable(event);
  }
}

function lineSaid(state: DeviceState, { said, luck }: Extract<DeviceEvent, { type: 'lineSaid' }>, now: number): DeviceStep {
  switch (said.type) {
    case 'qr':
      return linking.qrShown(state, said);
    case 'passkeyAsked':
      return passkey.asked(state, said);
    case 'passkeyConfirm':
      return passkey.codeShown(state, said);
    case 'linked':
      return linking.linked(state, said, now);
    case 'opened':
      return connection.opened(state, said, now);
    case 'profile':
      return [state, save({ wa_name: said.name, wa_about: said.about })];
    case 'credentials':
      return connection.credentialsChanged(state, said);
    case 'closed':
      return connection.closed(state, said.code, luck, now);
    case 'acked':
      return acting.acked(state, said.netId, said.at) ?? outbox.acked(state, said.netId, said.at, now);
    case 'refused':
      return acting.refusedByNetwork(state, said.netId, said.reason) ?? outbox.refusedByNetwork(state, said.netId, said.reason, now);
    case 'receipt':
      return outbox.receipt(state, said, now);
    case 'received':
    case 'wrote':
      return received(state, said);
    case 'reaction':
    case 'edited':
    case 'deleted':
    case 'vote':
    case 'call':
    case 'seen':
      return isIgnored(state.facts, said.chat) ? [state, { do: 'acknowledge', token: said.token }] : keep(state, said);
    case 'identity':
      return keep(state, said);
    case 'history':
      return keep(state, { ...said, messages: said.messages.filter(({ chat }) => !isIgnored(state.facts, chat)) });
    case 'restricted':
    case 'lifted':
      return restriction.restricted(state, said, now);
    default:
      return unreachable(said);
  }
}

type Said<T> = Extract<Extract<DeviceEvent, { type: 'lineSaid' }>['said'], { readonly type: T }>;

function received(state: DeviceState, { type, message }: Said<'received' | 'wrote'>): DeviceStep {
  if (isIgnored(state.facts, message.chat)) return [state, { do: 'acknowledge', token: message.netId }];
  return [state, { do: 'storeInbound', dial: state.line.dial, message, isOurs: type === 'wrote' }];
}

const keep = (state: DeviceState, event: ToldAct): DeviceStep => [
  state,
  { do: 'keep', dial: state.line.dial, event, own: state.facts.phone },
];

function isIgnored({ ignore }: DeviceFacts, chat: string): boolean {
  if (chat.endsWith('@g.us')) return ignore.groups;
  if (chat.endsWith('@newsletter')) return ignore.channels;
  return chat.endsWith('@broadcast') && ignore.status;
}

function overTheLine(state: DeviceState, command: LineCommand): DeviceStep {
  if (isComingBack(state)) return wait(state, command);
  if (state.draining || isLeaving(state)) return [state, elsewhere(command)];
  switch (command.type) {
    case 'logOut':
      return connection.logOut(state, command.replyTo);
    case 'lookUp':
      return lookUp(state, command);
    case 'fetchFile':
      return fetchFile(state, command);
    case 'deliver':
      return outbox.deliver(state, command.message, command.replyTo);
    case 'act':
      return acting.act(state, command.act, command.replyTo);
    case 'presence':
      return showPresence(state, command);
    default:
      return unreachable(command);
  }
}

function lookUp(state: DeviceState, { digits, replyTo }: Extract<DeviceCommand, { type: 'lookUp' }>): DeviceStep {
  if (state.line.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  return [asking(state, replyTo), { do: 'askLookUp', digits, replyTo }];
}

function fetchFile(state: DeviceState, { id, replyTo }: Extract<DeviceCommand, { type: 'fetchFile' }>): DeviceStep {
  if (state.line.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  return [asking(state, replyTo), { do: 'fetchFile', id, replyTo }];
}

const asking = (state: DeviceState, who: object): DeviceState => ({ ...state, asking: new Set(state.asking).add(who) });

function showPresence(state: DeviceState, { chat, state: shown, replyTo }: Extract<DeviceCommand, { type: 'presence' }>): DeviceStep {
  if (state.line.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  return [state, { do: 'showPresence', chat, state: shown }, reply(replyTo, null)];
}

function heardFor(state: DeviceState, to: object): DeviceState {
  if (!state.asking.has(to)) return state;
  const asking = new Set(state.asking);
  asking.delete(to);
  return { ...state, asking };
}

function retire(state: DeviceState, { replyTo }: Extract<DeviceCommand, { type: 'retire' }>): DeviceStep {
  const farewell: DeviceEffect = state.line.phase === 'online' ? { do: 'logOut' } : { do: 'hangUp' };
  return [state, farewell, reply(replyTo, null), stop];
}
