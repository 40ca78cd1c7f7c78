import { after, type CoreEffect, cancel } from '../../../runtime/actor-system/behaviour.ts';
import type { DeviceRestriction, DeviceRow } from '../../../store/devices/devices.ts';
import type { DeviceEvent, DeviceState, DeviceStep } from '../protocol.ts';
import { type EventOf, save } from './connection-steps.ts';
import * as sending from './sending.ts';

/** Keeps a network limit in the restricted device's row until the limit expires or is lifted. */

const DAY_MS = 86_400_000;

/** Checks the time, because the actor may not be running to record that a limit has expired. */
export function restrictionAt({ restriction = null }: Pick<DeviceRow, 'restriction'>, now: number): DeviceRestriction | null {
  return (restriction?.until ?? Number.POSITIVE_INFINITY) <= now ? null : restriction;
}

export function restricted(state: DeviceState, said: EventOf<'restricted'> | EventOf<'lifted'>, now: number): DeviceStep {
  const receive: DeviceEvent = { type: 'kept', connectionId: state.connection.connectionId, token: said.token };
  const restriction = said.type === 'lifted' ? null : restrictionOf(said);
  const [next, ...effects] = sending.pump({ ...state, facts: { ...state.facts, restriction } }, now);
  return [next, { ...save({ restriction }), receive }, ...effects, cancel('lift'), ...waiting(restriction, now)];
}

export const resumed = ({ facts }: DeviceState): readonly CoreEffect<DeviceEvent>[] => (facts.restriction ? [look(0)] : []);

export function liftDue(state: DeviceState, now: number): DeviceStep {
  const { restriction } = state.facts;
  if (restriction === null || restrictionAt({ restriction }, now) !== null) return [state, ...waiting(restriction, now)];
  const [next, ...effects] = sending.pump({ ...state, facts: { ...state.facts, restriction: null } }, now);
  return [next, save({ restriction: null }), ...effects];
}

/** Waits a day at most, because the wall clock may be changed in the meantime. */
function waiting(restriction: DeviceRestriction | null, now: number): readonly CoreEffect<DeviceEvent>[] {
  const until = restriction?.until ?? null;
  return until === null ? [] : [look(Math.min(Math.max(until - now, 0), DAY_MS))];
}

const look = (ms: number): CoreEffect<DeviceEvent> => after<DeviceEvent>('lift', ms, { type: 'liftDue' });

const restrictionOf = ({ until, reason, newChatsUsed, newChatsQuota }: EventOf<'restricted'>): DeviceRestriction => ({
  until,
  reason,
  new_chats_used: newChatsUsed,
  new_chats_quota: newChatsQuota,
});
