import type { Clock } from '../../../runtime/clock.ts';
import { RecentCache } from '../../../runtime/recent-cache.ts';
import type { Owner } from '../../../store/messaging/messages.ts';
import type { Presence, Whereabouts } from '../../network/port.ts';
import { person } from '../events/message-events.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import type { Live } from '../live/live.ts';

export interface TellPresenceDeps {
  readonly people: Pick<IdentityResolver, 'place'>;
  readonly live: Pick<Live, 'emit' | 'presenceWatch'>;
  readonly clock: Clock;
}

/** Phones repeat a typing state. Streams get the same state only once within this time. */
const REPEATED_MS = 3_000;
const REMEMBERED = 10_000;

export function tellPresence({ people, live, clock }: TellPresenceDeps) {
  const told = new RecentCache<string, number>(REMEMBERED);
  return async ({ tenantId, sessionId }: Owner, { state, ...where }: Whereabouts & { readonly state: Presence }): Promise<void> => {
    if (!live.presenceWatch.isWatched(tenantId)) return;
    const { chat } = await people.place(tenantId, where);
    const key = `${sessionId} ${chat} ${where.from} ${state}`;
    const now = clock.monotonic();
    if (now - (told.get(key) ?? Number.NEGATIVE_INFINITY) < REPEATED_MS) return;
    for (const other of ['composing', 'recording', 'paused']) told.delete(`${sessionId} ${chat} ${where.from} ${other}`);
    told.set(key, now);
    live.emit(tenantId, sessionId, { type: 'chat.presence', data: { ...person(chat), state } });
  };
}
