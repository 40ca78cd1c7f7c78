import { after, cancel, type ReplyTo, refuse } from '../../../runtime/actor-system/behaviour.ts';
import type { DevicePatch } from '../../../store/devices/devices.ts';
import { refusal } from '../../domain/refusals.ts';
import type { DeviceState, DeviceStep } from '../protocol.ts';
import { leave, NO_CODES, save } from './connection-steps.ts';
import * as questions from './questions.ts';
import * as sending from './sending.ts';

/**
 * Hands the device over to another node. The stored `wanted` and status do not change, so the next
 * owner reconnects and users see no difference.
 */

/** If acks take longer than this, the handover is cancelled and the device stays on this node. */
const PATIENCE_MS = 8_000;
const DRAINED_MS = 20_000;

const LINKING = { en: 'a phone is being linked', id: 'ponsel sedang ditautkan' };
const BUSY = { en: 'messages are being sent', id: 'pesan sedang dikirim' };
const AGAIN = { en: 'a newer request replaced this one', id: 'digantikan oleh permintaan yang lebih baru' };

export function drain(state: DeviceState, must: boolean, replyTo: ReplyTo<null>): DeviceStep {
  const isLinking = state.connection.phase === 'linking' || (state.connection.phase === 'opening' && state.facts.credentials === null);
  if (isLinking && !must) return [state, refuse(replyTo, refusal('CONFLICT', { reason: LINKING }))];
  const earlier = state.draining ? [refuse(state.draining, refusal('CONFLICT', { reason: AGAIN }))] : [];
  const patience = must ? cancel('drain') : after('drain', PATIENCE_MS, { type: 'drainOverdue' } as const);
  const [next, ...handed] = questions.hand({ ...state, draining: replyTo });
  return [next, ...earlier, ...handed, patience];
}

export function drainOverdue(state: DeviceState, now: number): DeviceStep {
  if (!state.draining) return [state];
  const [next, ...effects] = sending.pump({ ...state, draining: null }, now);
  return [next, refuse(state.draining, refusal('CONFLICT', { reason: BUSY })), ...effects];
}

export function rest(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  const [next, ...leaving] = leave({ ...state, draining: null }, { phase: 'down', connectionId: state.connection.connectionId });
  const patch: DevicePatch = state.connection.phase === 'linking' ? { status: 'pending', node: null, ...NO_CODES } : { node: null };
  const comeBack = after('retry', DRAINED_MS, { type: 'retryDue' } as const);
  return [next, cancel('drain'), ...leaving, { do: 'hangUp' }, save(patch, replyTo), comeBack];
}
