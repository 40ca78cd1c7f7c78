import type { DevicePatch, SessionEvent, SessionStatus } from '../../../store/devices/devices.ts';
import type { DeviceEffect, DeviceState, DeviceStep } from '../protocol.ts';

/** A device that has been offline for longer is worth an alert. */
const ALERT_AFTER_MS = 300_000;

/** Each save of a step with the session event that its change is, in the order of the saves, and with what follows for the alert. */
export function withSessionEvents([state, ...effects]: DeviceStep, now: number): DeviceStep {
  let { status } = state;
  const told = effects.map((effect) => {
    if (effect.do !== 'save') return effect;
    const sessionEvent = sessionEventOf(status, effect.patch, now);
    status = effect.patch.status ?? status;
    return sessionEvent ? storedWith(effect, sessionEvent) : effect;
  });
  return [withStatus(state, status), ...told];
}

const withStatus = (state: DeviceState, status: SessionStatus): DeviceState => (status === state.status ? state : { ...state, status });

type Save = Extract<DeviceEffect, { readonly do: 'save' }>;

const storedWith = (save: Save, sessionEvent: SessionEvent): Save => ({
  ...save,
  patch: { ...save.patch, ...alertOf(sessionEvent) },
  sessionEvent,
});

/** The event of a change of a device's row, given its former status. */
function sessionEventOf(before: SessionStatus, patch: DevicePatch, at: number): SessionEvent | null {
  if (patch.restriction !== undefined) return { type: 'restricted', at, restriction: patch.restriction };
  const { pairing } = patch;
  if (pairing?.step === 'passkey' || pairing?.step === 'passkey_confirm') return { type: 'passkey', at, step: pairing.step };
  if (patch.qr) return { type: 'qr', at, qr: patch.qr.code, expires_at: patch.qr.expires_at };
  if (patch.status === undefined || patch.status === before) return null;
  if (patch.status === 'connected')
    return { type: 'connected', at, phone_number: patch.phone_number ?? null, wa_name: patch.wa_name ?? null };
  return before === 'connected' ? { type: 'disconnected', at, reason: reasonOf(patch) } : null;
}

/** Three kinds of reason: `logged_out`, `banned`, `status_<code>`. A wanted disconnect is the socket's 1000, a replaced login its 440. */
function reasonOf({ reason }: DevicePatch): string {
  if (!reason) return 'status_1000';
  return reason === 'replaced' ? 'status_440' : reason;
}

function alertOf({ type, at }: SessionEvent): DevicePatch {
  if (type !== 'connected' && type !== 'disconnected') return {};
  return type === 'connected' ? { offline_since: null, alert_at: null } : { offline_since: at, alert_at: at + ALERT_AFTER_MS };
}
