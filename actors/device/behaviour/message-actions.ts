import { after, cancel, type ReplyTo, refuse, reply } from '../../../runtime/actor-system/behaviour.ts';
import type { MessageAction } from '../../../store/messaging/message-actions.ts';
import { refusal } from '../../domain/refusals.ts';
import type { DeviceEvent, DeviceState, DeviceStep, PendingAction } from '../protocol.ts';

/** Reactions, edits and deletions of ours: stored as an intent, sent, and done when the network has taken them. */

const PATIENCE_MS = 8_000;
/** No caller waits for it any more. */
const STALE_MS = 86_400_000;

export function action(state: DeviceState, request: MessageAction, replyTo: ReplyTo<null>): DeviceStep {
  if (state.connection.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  const overdue = after<DeviceEvent>(keyOf(request.net_id), PATIENCE_MS, { type: 'actionOverdue', netId: request.net_id });
  return [
    withAction(state, { action: request, replyTo }),
    { do: 'intend', connectionId: state.connection.connectionId, action: request },
    overdue,
  ];
}

/** It is stored: now it may leave. */
export function intended(state: DeviceState, netId: string): DeviceStep {
  const found = state.pendingActions.get(netId);
  return found ? [state, { do: 'transmitAction', action: found.action }] : [state];
}

/** The network has it. Null: it is no act of ours. */
export function acked(state: DeviceState, netId: string, at: number): DeviceStep | null {
  const found = state.pendingActions.get(netId);
  return found ? [state, { do: 'applyAction', connectionId: state.connection.connectionId, action: found.action, at }] : null;
}

export function applied(state: DeviceState, netId: string): DeviceStep {
  const replyTo = state.pendingActions.get(netId)?.replyTo;
  return [without(state, netId), ...(replyTo ? [cancel(keyOf(netId)), reply(replyTo, null)] : [])];
}

/** The network will not have it. Null: it is no act of ours. */
export function refusedByNetwork(state: DeviceState, netId: string, reason: string): DeviceStep | null {
  const found = state.pendingActions.get(netId);
  if (!found) return null;
  const { action, replyTo } = found;
  const told = replyTo ? [cancel(keyOf(netId)), refuse(replyTo, refusal('CONFLICT', { reason }))] : [];
  return [without(state, netId), { do: 'dropAction', action }, ...told];
}

export function overdue(state: DeviceState, netId: string): DeviceStep {
  const found = state.pendingActions.get(netId);
  if (!found?.replyTo) return [state];
  return [withAction(state, { ...found, replyTo: null }), refuse(found.replyTo, refusal('DEVICE_TIMEOUT'))];
}

export function open(state: DeviceState): DeviceStep {
  return [state, { do: 'recoverActions', connectionId: state.connection.connectionId }];
}

/** Actions left by an earlier connection are sent again in order, under their own network ids; those of another number are not this one's to do. */
export function recovered(state: DeviceState, actions: readonly MessageAction[], now: number): DeviceStep {
  const since = Math.max(now - STALE_MS, state.facts.linkedAt ?? 0);
  const stale = actions.filter(({ created_at }) => created_at < since);
  const again = actions.filter((one) => !stale.includes(one) && !state.pendingActions.has(one.net_id));
  const next = again.reduce((so, one) => withAction(so, { action: one, replyTo: null }), state);
  return [
    next,
    ...stale.map((one) => ({ do: 'dropAction', action: one }) as const),
    ...again.map((one) => ({ do: 'transmitAction', action: one }) as const),
  ];
}

/** The connection is gone: the next one finds the pending actions again. */
export function close(state: DeviceState): DeviceStep {
  const told = [...state.pendingActions].flatMap(([netId, { replyTo }]) =>
    replyTo ? [cancel(keyOf(netId)), refuse(replyTo, refusal('DEVICE_TIMEOUT'))] : [],
  );
  return [{ ...state, pendingActions: new Map() }, ...told];
}

const withAction = (state: DeviceState, one: PendingAction): DeviceState => ({
  ...state,
  pendingActions: new Map(state.pendingActions).set(one.action.net_id, one),
});

function without(state: DeviceState, netId: string): DeviceState {
  const pendingActions = new Map(state.pendingActions);
  pendingActions.delete(netId);
  return { ...state, pendingActions };
}

const keyOf = (netId: string): string => `act ${netId}`;
