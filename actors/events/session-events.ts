import type { Alerting, Happening } from '../../store/devices.ts';
import type { Draft } from './types.ts';

/** The event of something that happened to a device (spec.md part 6): the same each time it is derived. */
export function eventOfHappening(sessionId: string, happening: Happening): Draft {
  const { type, at } = happening;
  const common = { session_id: sessionId, row: `session ${sessionId}@${at}`, occurred_at: at };
  switch (type) {
    case 'connected':
      return { ...common, type: 'session.connected', data: { phone_number: happening.phone_number, wa_name: happening.wa_name } };
    case 'disconnected':
      return { ...common, type: 'session.disconnected', data: { reason: happening.reason } };
    case 'restricted':
      return { ...common, type: 'session.restricted', data: { restriction: happening.restriction } };
    case 'passkey':
      // Both steps may come within one millisecond.
      return { ...common, row: `${common.row} ${happening.step}`, type: 'session.passkey', data: { step: happening.step } };
    case 'qr':
      return { ...common, type: 'qr.generated', data: { qr: happening.qr, expires_at: happening.expires_at } };
  }
}

/** The one alert of an outage. */
export function alertOf({ _id, offline_since }: Alerting, now: number): Draft {
  const since = offline_since ?? now;
  return {
    session_id: _id,
    type: 'session.alert',
    row: `session ${_id}@${since}`,
    occurred_at: now,
    data: {
      type: 'offline',
      message: 'The device has been offline for more than 5 minutes',
      disconnected_since: since,
      duration_ms: now - since,
    },
  };
}
