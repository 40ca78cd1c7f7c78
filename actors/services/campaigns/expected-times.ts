import type { Settings } from '../../../store/accounts/tenants.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { youngDay } from '../../domain/warm-up.ts';
import { closesAt, isOpen, opensAt } from '../../domain/zones.ts';

export interface Expected {
  /** Number of messages by time zone. There is at least one zone. */
  readonly zones: ReadonlyMap<string, number>;
  readonly devices: readonly Pick<DeviceRow, 'linked_at'>[];
  readonly settings: Pick<Settings, 'pacing' | 'warmup' | 'send_window'>;
  readonly from: number;
}

/** Time to send one message, without the pause that follows. */
const SENDING_MS = 300;
const TYPING_MS = 3_000;
/** Enough steps for about a year of days and send windows. */
const MAX_STEPS = 1_000;
const ZONES_AT_END = 5;

/** Ignores longer pauses and other messages. `ends_at` is null without a device or beyond a year. */
export function expectedTimes({ zones, devices, settings, from }: Expected): { starts_at: number; ends_at: number | null } {
  const largest = [...zones].toSorted(([, one], [, other]) => other - one);
  const starts_at = Math.min(...largest.map(([zone]) => opening(settings, zone, from)));
  const total = largest.reduce((sum, [, count]) => sum + count, 0);
  const ends = largest
    .slice(0, ZONES_AT_END)
    .flatMap(([zone, count], nth) =>
      devices.map(({ linked_at }) => lastSend({ settings, zone, from }, nth === 0 ? total : count, devices.length, linked_at)),
    );
  const last = Math.max(...ends);
  return { starts_at, ends_at: Number.isFinite(last) ? last : null };
}

interface Place extends Pick<Expected, 'settings' | 'from'> {
  readonly zone: string;
}

function lastSend({ settings, zone, from }: Place, messages: number, devices: number, linkedAt: DeviceRow['linked_at'] = null): number {
  const { pacing, warmup, send_window: window } = settings;
  const each = SENDING_MS + (pacing.min_delay_ms + pacing.max_delay_ms) / 2 + (pacing.typing ? TYPING_MS : 0);
  let left = Math.ceil(messages / devices);
  let at = opening(settings, zone, from);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const young = youngDay(linkedAt, warmup.enabled ? warmup.days : null, at);
    const until = Math.min(
      window.enabled ? closesAt(window, zone, at) : Number.POSITIVE_INFINITY,
      young?.endsAt ?? Number.POSITIVE_INFINITY,
    );
    const fits = Math.min(Math.floor((until - at) / each), young?.limit ?? Number.POSITIVE_INFINITY);
    if (left <= fits) return Math.round(at + left * each);
    left -= fits;
    at = opening(settings, zone, until);
  }
  return Number.POSITIVE_INFINITY;
}

const opening = ({ send_window: window }: Expected['settings'], zone: string, at: number): number =>
  !window.enabled || isOpen(window, zone, at) ? at : opensAt(window, zone, at);
