import { at } from '../../../runtime/invariant.ts';
import { oneOf, type Random } from '../../../runtime/random.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { RotatorRow, Rotators } from '../../../store/scheduling/rotators.ts';
import { refusal } from '../../domain/refusals.ts';

/**
 * Chooses a device of a rotator. A chat keeps the same device while this device is online
 * (`rotator_chats`).
 */

export interface RotationDeps {
  readonly rotators: Rotators;
  readonly devices: Pick<Devices, 'list'>;
  readonly random: Random;
}

export interface DeviceChoice {
  readonly chat: string;
  readonly mayWait: boolean;
  readonly now: number;
}

const TRIES = 20;

/** Fails with NOT_FOUND, OVERLOADED, or CONFLICT (no device is connected and waiting is off). */
export async function deviceFor(deps: RotationDeps, rotator: RotatorRow, { chat, mayWait, now }: DeviceChoice): Promise<DeviceRow> {
  const { rotators, devices } = deps;
  const members = await devices.list(rotator.tenant_id, rotator.session_ids);
  const connected = members.filter(({ status }) => status === 'connected');
  const own = await rotators.deviceOf(rotator._id, chat);
  const kept = byId(connected.length > 0 ? connected : mayWait ? members : [], own);
  if (kept) return kept;
  const able = connected.length > 0 || !mayWait ? connected : members;
  if (members.length === 0) throw refusal('NOT_FOUND', { reason: 'session_ids' });
  if (able.length === 0) throw refusal('CONFLICT', { reason: { en: 'no device is connected', id: 'tidak ada perangkat yang terhubung' } });
  const chosen = await takeTurn(deps, rotator, able, now);
  const given = await rotators.give(rotator._id, chat, own, chosen._id);
  // If another choice was stored first, use its device, provided that it can send.
  return byId(able, given) ?? chosen;
}

const byId = (devices: readonly DeviceRow[], id: string | null): DeviceRow | undefined => devices.find(({ _id }) => _id === id);

async function takeTurn(deps: RotationDeps, rotator: RotatorRow, able: readonly DeviceRow[], now: number): Promise<DeviceRow> {
  const { rotators, random } = deps;
  if (rotator.strategy === 'random') return oneOf(able, random);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const row = await rotators.find(rotator.tenant_id, rotator._id);
    if (!row) throw refusal('NOT_FOUND');
    const next = nextOf(row, able);
    if (await rotators.turn(row, next._id, now)) return next;
  }
  throw refusal('OVERLOADED', { retryAfterMs: 1_000 });
}

function nextOf({ strategy, session_ids, last, used }: RotatorRow, able: readonly DeviceRow[]): DeviceRow {
  const after = strategy === 'round_robin' && last !== null ? session_ids.indexOf(last) + 1 : 0;
  const inTurn = [...session_ids.slice(after), ...session_ids.slice(0, after)].flatMap((id) => byId(able, id) ?? []);
  const first = inTurn[0] ?? at(able, 0);
  if (strategy !== 'least_recent') return first;
  const usedAt = ({ _id }: DeviceRow): number => used[_id] ?? 0;
  return inTurn.reduce((best, one) => (usedAt(one) < usedAt(best) ? one : best), first);
}
