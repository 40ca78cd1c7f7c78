import { after, cancel, type ReplyTo, refuse } from '../../runtime/behaviour.ts';
import type { DevicePatch } from '../../store/devices.ts';
import { refusal } from '../refusals.ts';
import { leave, RESTING, save } from './line.ts';
import * as outbox from './outbox.ts';
import type { DeviceState, DeviceStep } from './protocol.ts';

/** Going offline so that another node can run the device. */

/** A network that keeps its word back this long does not hold up the device for longer: it stays here and goes on. */
const PATIENCE_MS = 8_000;
/** Whoever asked it to rest ends it at once; should that not happen, it goes online again. */
const RESTED_MS = 20_000;

const LINKING = { en: 'a phone is being linked', id: 'ponsel sedang ditautkan' };
const BUSY = { en: 'messages are on their way', id: 'pesan sedang dikirim' };
const AGAIN = { en: 'it was asked again', id: 'diminta lagi' };

/** Asks to be offline as soon as nothing is on the wire any more (`rest`). */
export function drain(state: DeviceState, must: boolean, replyTo: ReplyTo<null>): DeviceStep {
  const isLinking = state.line.phase === 'linking' || (state.line.phase === 'dialling' && state.facts.credentials === null);
  if (isLinking && !must) return [state, refuse(replyTo, refusal('CONFLICT', { reason: LINKING }))];
  const earlier = state.draining ? [refuse(state.draining, refusal('CONFLICT', { reason: AGAIN }))] : [];
  const patience = must ? cancel('drain') : after('drain', PATIENCE_MS, { type: 'drainOverdue' } as const);
  return [{ ...state, draining: replyTo }, ...earlier, patience];
}

export function drainOverdue(state: DeviceState, now: number): DeviceStep {
  if (!state.draining) return [state];
  const [next, ...effects] = outbox.pump({ ...state, draining: null }, now);
  return [next, refuse(state.draining, refusal('CONFLICT', { reason: BUSY })), ...effects];
}

/** Offline for the next owner: the wish to be online stays, and so does what its users see. */
export function rest(state: DeviceState, replyTo: ReplyTo<null>): DeviceStep {
  const [next, ...leaving] = leave({ ...state, draining: null }, { phase: 'down', dial: state.line.dial });
  const patch: DevicePatch = state.line.phase === 'linking' ? { status: 'pending', node: null, ...RESTING } : { node: null };
  const comeBack = after('retry', RESTED_MS, { type: 'retryDue' } as const);
  return [next, cancel('drain'), ...leaving, { do: 'hangUp' }, save(patch, replyTo), comeBack];
}
