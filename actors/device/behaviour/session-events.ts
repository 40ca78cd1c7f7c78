/**
 * Derives session events and outage alerts from what each step saves for the device. An event is
 * therefore stored in the same write as the change that it reports.
 */

import type { DevicePatch, SessionEvent } from '../../../store/devices/devices.ts';
import { isReported, reportedReason } from '../../domain/refused-login.ts';
import type { DeviceEffect, DeviceState, DeviceStep } from '../protocol.ts';

const ALERT_AFTER_MS = 300_000;

type Shown = Pick<DeviceState, 'status' | 'reason'>;
type Save = Extract<DeviceEffect, { readonly do: 'save' }>;

export function withSessionEvents([state, ...effects]: DeviceStep, now: number): DeviceStep {
  let shown: Shown = state;
  const told = effects.map((effect) => {
    if (effect.do !== 'save') return effect;
    const save = storedWith(effect, shown, now);
    const { status = shown.status, reason = shown.reason } = effect.patch;
    shown = { status, reason };
    return save;
  });
  return [withShown(state, shown), ...told];
}

const withShown = (state: DeviceState, { status, reason }: Shown): DeviceState =>
  status === state.status && reason === state.reason ? state : { ...state, status, reason };

function storedWith(save: Save, before: Shown, now: number): Save {
  const { reason } = save.patch;
  const isSame = reason === undefined || reason === before.reason;
  const patch = isSame ? save.patch : { ...save.patch, reason_since: reason === null ? null : now };
  const sessionEvent = sessionEventOf(before, patch, now);
  if (!sessionEvent) return isSame ? save : { ...save, patch };
  return { ...save, patch: { ...patch, ...alertOf(sessionEvent, before) }, sessionEvent };
}

function sessionEventOf(before: Shown, patch: DevicePatch, at: number): SessionEvent | null {
  if (patch.restriction !== undefined) return { type: 'restricted', at, restriction: patch.restriction };
  const { pairing } = patch;
  if (pairing?.step === 'passkey' && pairing.public_key === null) return null;
  if (pairing?.step === 'passkey' || pairing?.step === 'passkey_confirm') return { type: 'passkey', at, step: pairing.step };
  if (patch.qr) return { type: 'qr', at, qr: patch.qr.code, expires_at: patch.qr.expires_at };
  if (patch.status === undefined) return null;
  if (patch.status !== 'connected') return isNews(before, patch) ? disconnected(patch, at) : null;
  if (before.status === 'connected') return null;
  return { type: 'connected', at, phone_number: patch.phone_number ?? null, wa_name: patch.wa_name ?? null };
}

const isNews = (before: Shown, { reason = null }: DevicePatch): boolean =>
  before.status === 'connected' || (isReported(reason) && reason !== before.reason);

function disconnected({ reason = null, reason_code: code = null, reason_until: until = null }: DevicePatch, at: number): SessionEvent {
  return { type: 'disconnected', at, reason: reportedReason({ reason, code }), cause: reason, code, until };
}

function alertOf({ type, at }: SessionEvent, before: Shown): DevicePatch {
  if (type === 'connected') return { offline_since: null, alert_at: null };
  return type === 'disconnected' && before.status === 'connected' ? { offline_since: at, alert_at: at + ALERT_AFTER_MS } : {};
}
