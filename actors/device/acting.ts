import { after, cancel, type ReplyTo, refuse, reply } from '../../runtime/behaviour.ts';
import type { OwnAct } from '../../store/acts.ts';
import { refusal } from '../refusals.ts';
import type { Acting, DeviceEvent, DeviceState, DeviceStep } from './protocol.ts';

/** Reactions, edits and deletions of ours: stored as an intent, sent, and done when the network has taken them. */

const PATIENCE_MS = 8_000;
/** Nobody wants it any more. */
const STALE_MS = 86_400_000;

export function act(state: DeviceState, wish: OwnAct, replyTo: ReplyTo<null>): DeviceStep {
  if (state.line.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  const overdue = after<DeviceEvent>(keyOf(wish.net_id), PATIENCE_MS, { type: 'actOverdue', netId: wish.net_id });
  return [withAct(state, { act: wish, replyTo }), { do: 'intend', dial: state.line.dial, act: wish }, overdue];
}

/** It is stored: now it may leave. */
export function intended(state: DeviceState, netId: string): DeviceStep {
  const found = state.acting.get(netId);
  return found ? [state, { do: 'transmitAct', act: found.act }] : [state];
}

/** The network has it. Null: it is no act of ours. */
export function acked(state: DeviceState, netId: string, at: number): DeviceStep | null {
  const found = state.acting.get(netId);
  return found ? [state, { do: 'applyAct', dial: state.line.dial, act: found.act, at }] : null;
}

export function applied(state: DeviceState, netId: string): DeviceStep {
  const replyTo = state.acting.get(netId)?.replyTo;
  return [without(state, netId), ...(replyTo ? [cancel(keyOf(netId)), reply(replyTo, null)] : [])];
}

/** The network will not have it. Null: it is no act of ours. */
export function refusedByNetwork(state: DeviceState, netId: string, reason: string): DeviceStep | null {
  const found = state.acting.get(netId);
  if (!found) return null;
  const { act, replyTo } = found;
  const told = replyTo ? [cancel(keyOf(netId)), refuse(replyTo, refusal('CONFLICT', { reason }))] : [];
  return [without(state, netId), { do: 'dropAct', act }, ...told];
}

export function overdue(state: DeviceState, netId: string): DeviceStep {
  const found = state.acting.get(netId);
  if (!found?.replyTo) return [state];
  return [withAct(state, { ...found, replyTo: null }), refuse(found.replyTo, refusal('DEVICE_TIMEOUT'))];
}

export function open(state: DeviceState): DeviceStep {
  return [state, { do: 'recoverActs', dial: state.line.dial }];
}

/** What an earlier line left under way goes out again under its own network id, in its order. */
export function recovered(state: DeviceState, acts: readonly OwnAct[], now: number): DeviceStep {
  const stale = acts.filter(({ created_at }) => now - created_at > STALE_MS);
  const again = acts.filter((one) => !stale.includes(one) && !state.acting.has(one.net_id));
  const next = again.reduce((so, one) => withAct(so, { act: one, replyTo: null }), state);
  return [
    next,
    ...stale.map((one) => ({ do: 'dropAct', act: one }) as const),
    ...again.map((one) => ({ do: 'transmitAct', act: one }) as const),
  ];
}

/** The line is gone: what was under way is found again by the next. */
export function close(state: DeviceState): DeviceStep {
  const told = [...state.acting].flatMap(([netId, { replyTo }]) =>
    replyTo ? [cancel(keyOf(netId)), refuse(replyTo, refusal('DEVICE_TIMEOUT'))] : [],
  );
  return [{ ...state, acting: new Map() }, ...told];
}

const withAct = (state: DeviceState, one: Acting): DeviceState => ({
  ...state,
  acting: new Map(state.acting).set(one.act.net_id, one),
});

function without(state: DeviceState, netId: string): DeviceState {
  const acting = new Map(state.acting);
  acting.delete(netId);
  return { ...state, acting };
}

const keyOf = (netId: string): string => `act ${netId}`;
