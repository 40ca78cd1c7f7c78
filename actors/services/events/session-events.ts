import type { Alerting, SessionEvent } from '../../../store/devices/devices.ts';
import type { Draft } from './types.ts';

/** Returns the event for a session change. Repeated calls return the same event. */
export function eventOfSession(sessionId: string, sessionEvent: SessionEvent): Draft {
  const { type, at } = sessionEvent;
  const common = { session_id: sessionId, row: `session ${sessionId}@${at}`, occurred_at: at };
  switch (type) {
    case 'connected':
      return { ...common, type: 'session.connected', data: { phone_number: sessionEvent.phone_number, wa_name: sessionEvent.wa_name } };
    case 'disconnected':
      return { ...common, type: 'session.disconnected', data: ended(sessionEvent) };
    case 'restricted':
      return { ...common, type: 'session.restricted', data: { restriction: sessionEvent.restriction } };
    case 'passkey':
      // The key includes the step, because two steps may happen within one millisecond.
      return { ...common, row: `${common.row} ${sessionEvent.step}`, type: 'session.passkey', data: { step: sessionEvent.step } };
    case 'qr':
      return { ...common, type: 'qr.generated', data: { qr: sessionEvent.qr, expires_at: sessionEvent.expires_at } };
  }
}

const ended = ({ reason, cause = null, code = null, until = null }: Extract<SessionEvent, { type: 'disconnected' }>) => ({
  reason,
  cause,
  code,
  until,
});

const OFFLINE = {
  en: 'The device has been offline for more than 5 minutes',
  id: 'Perangkat telah offline lebih dari 5 menit',
};

export function alertOf({ _id, offline_since }: Alerting, locale: 'en' | 'id', now: number): Draft {
  const since = offline_since ?? now;
  return {
    session_id: _id,
    type: 'session.alert',
    row: `session ${_id}@${since}`,
    occurred_at: now,
    data: {
      type: 'offline',
      message: OFFLINE[locale],
      disconnected_since: since,
      duration_ms: now - since,
    },
  };
}
