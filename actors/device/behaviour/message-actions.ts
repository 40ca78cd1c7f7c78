import { after, type CoreEffect, cancel, type ReplyTo, refuse, reply } from '../../../runtime/actor-system/behaviour.ts';
import type { MessageAction } from '../../../store/messaging/message-actions.ts';
import { refusal } from '../../domain/refusals.ts';
import { MAX_BACKOFF_MS, pauseAfterRefusals, transientCodeOf } from '../../domain/transient-refusals.ts';
import type { ConnectionEvent } from '../../network/port.ts';
import type { DeviceEffect, DeviceEvent, DeviceState, DeviceStep, PendingAction } from '../protocol.ts';

/**
 * Sends this device's reactions, edits and deletions. To survive a crash, each one is stored as an
 * intent before it is sent, and removed when the network accepts it. Actions that are pending on
 * this connection are also in the device's state.
 */

const PATIENCE_MS = 8_000;
const STALE_MS = 86_400_000;
const AGAIN_MS = 60_000;
const MAX_PENDING = 1_000;
const MAX_AGAIN = 5;

export function action(state: DeviceState, request: MessageAction, replyTo: ReplyTo<null>): DeviceStep {
  if (state.connection.phase !== 'online') return [state, refuse(replyTo, refusal('NOT_CONNECTED'))];
  if (state.pendingActions.size >= MAX_PENDING) return [state, refuse(replyTo, refusal('OVERLOADED'))];
  return [
    withAction(state, { action: request, isStored: false, replyTo }),
    { do: 'intend', connectionId: state.connection.connectionId, action: request },
    again(request.net_id, PATIENCE_MS),
  ];
}

export function intended(state: DeviceState, netId: string): DeviceStep {
  const found = state.pendingActions.get(netId);
  return found ? [withAction(state, { ...found, isStored: true }), { do: 'transmitAction', action: found.action }] : [state];
}

export function acked(state: DeviceState, netId: string, at: number): DeviceStep | null {
  const action = state.pendingActions.get(netId)?.action;
  if (!action) return null;
  const superseded = actionsOf(state).filter((other) => supersedes(action, other));
  return [state, { do: 'applyAction', connectionId: state.connection.connectionId, action, superseded, at }];
}

export function applied(state: DeviceState, netIds: readonly string[]): DeviceStep {
  const told = netIds.flatMap((netId) => {
    const replyTo = state.pendingActions.get(netId)?.replyTo;
    return [cancel(keyOf(netId)), ...(replyTo ? [reply(replyTo, null)] : [])];
  });
  return [netIds.reduce(without, state), ...told];
}

export function refusedByNetwork(state: DeviceState, { netId, reason, backoffMs = 0 }: RefusedAction): DeviceStep | null {
  const found = state.pendingActions.get(netId);
  if (!found) return null;
  const { action, replyTo, refusals = 0 } = found;
  if (transientCodeOf(reason) !== null && refusals < MAX_AGAIN) {
    const pauseMs = Math.min(pauseAfterRefusals(refusals + 1, backoffMs), MAX_BACKOFF_MS);
    return [withAction(state, { ...found, refusals: refusals + 1 }), after(dueKeyOf(netId), pauseMs, { type: 'actionDue', netId })];
  }
  const told = replyTo ? [refuse(replyTo, refusal('CONFLICT', { reason }))] : [];
  return [without(state, netId), cancel(keyOf(netId)), { do: 'dropAction', action }, ...told];
}

type RefusedAction = Pick<Extract<ConnectionEvent, { type: 'refused' }>, 'netId' | 'reason' | 'backoffMs'>;

export function due(state: DeviceState, netId: string): DeviceStep {
  const found = state.pendingActions.get(netId);
  return [state, ...(found?.isStored ? transmitted(actionsOf(state), found.action) : [])];
}

/** Resends an overdue action unless a later one supersedes it, because phones show the last to arrive. */
export function overdue(state: DeviceState, netId: string, now: number): DeviceStep {
  const found = state.pendingActions.get(netId);
  if (!found) return [state];
  const { action, isStored, replyTo } = found;
  if (replyTo) return [withAction(state, { ...found, replyTo: null }), refuse(replyTo, refusal('DEVICE_TIMEOUT')), again(netId)];
  if (action.created_at < now - STALE_MS) return [without(state, netId), { do: 'dropAction', action }];
  return [state, ...(isStored ? transmitted(actionsOf(state), action) : []), again(netId)];
}

export const countAwaited = ({ pendingActions }: DeviceState): number =>
  [...pendingActions.values()].filter(({ replyTo }) => replyTo !== null).length;

export function open(state: DeviceState): DeviceStep {
  return [state, { do: 'recoverActions', connectionId: state.connection.connectionId }];
}

export function recovered(state: DeviceState, actions: readonly MessageAction[], now: number): DeviceStep {
  const since = Math.max(now - STALE_MS, state.facts.linkedAt ?? 0);
  const stale = actions.filter(({ created_at }) => created_at < since);
  const left = actions.filter((one) => !stale.includes(one) && !state.pendingActions.has(one.net_id));
  const next = left.reduce((so, one) => withAction(so, { action: one, isStored: true, replyTo: null }), state);
  const pending = actionsOf(next);
  return [
    next,
    ...stale.map((one) => ({ do: 'dropAction', action: one }) as const),
    ...left.flatMap((one) => [...transmitted(pending, one), again(one.net_id)]),
  ];
}

export function close(state: DeviceState): DeviceStep {
  const told = [...state.pendingActions].flatMap(([netId, { replyTo }]) => [
    cancel(keyOf(netId)),
    cancel(dueKeyOf(netId)),
    ...(replyTo ? [refuse(replyTo, refusal('DEVICE_TIMEOUT'))] : []),
  ]);
  return [{ ...state, pendingActions: new Map() }, ...told];
}

/** A later action of the same kind, or any deletion, supersedes an action. Ids sort by time. */
function supersedes(one: MessageAction, other: MessageAction): boolean {
  if (one.message_id !== other.message_id) return false;
  return one.kind === other.kind ? other._id < one._id : one.kind === 'erase';
}

const transmitted = (pending: readonly MessageAction[], action: MessageAction): readonly DeviceEffect[] =>
  pending.some((one) => supersedes(one, action)) ? [] : [{ do: 'transmitAction', action }];

const actionsOf = ({ pendingActions }: DeviceState): readonly MessageAction[] => [...pendingActions.values()].map(({ action }) => action);

const withAction = (state: DeviceState, one: PendingAction): DeviceState => ({
  ...state,
  pendingActions: new Map(state.pendingActions).set(one.action.net_id, one),
});

function without(state: DeviceState, netId: string): DeviceState {
  const pendingActions = new Map(state.pendingActions);
  pendingActions.delete(netId);
  return { ...state, pendingActions };
}

const again = (netId: string, ms = AGAIN_MS): CoreEffect<DeviceEvent> => after(keyOf(netId), ms, { type: 'actionOverdue', netId });

const keyOf = (netId: string): string => `act ${netId}`;
const dueKeyOf = (netId: string): string => `act again ${netId}`;
