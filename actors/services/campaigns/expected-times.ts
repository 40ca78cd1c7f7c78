import type { Settings } from '../../../store/accounts/tenants.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { youngDay } from '../../domain/warm-up.ts';
import { closesAt, isOpen, opensAt } from '../../domain/zones.ts';

export interface Expected {
  readonly messages: number;
  readonly devices: readonly Pick<DeviceRow, 'linked_at'>[];
  readonly settings: Pick<Settings, 'pacing' | 'warmup' | 'send_window'>;
  /** Time zone used for the send window, even if each recipient has their own. */
  readonly timezone: string;
  /** Epoch ms. */
  readonly from: number;
}

/** Time per message in addition to the pause after it, and the time that "typing" is shown. */
const SENDING_MS = 300;
const TYPING_MS = 3_000;
/** Maximum number of days and windows considered: about a year. */
const MAX_STEPS = 1_000;

/**
 * Estimates the first and the last send from the pace, the limits of young devices and the send
 * window. Ignores longer pauses and other messages. Epoch ms; `ends_at` is null without a device
 * or if it is more than a year away.
 */
export function expectedTimes({ messages, devices, settings, timezone, from }: Expected): { starts_at: number; ends_at: number | null } {
  const { pacing, send_window: window } = settings;
  const opens = (at: number): number => (!window.enabled || isOpen(window, timezone, at) ? at : opensAt(window, timezone, at));
  const starts_at = opens(from);
  if (devices.length === 0) return { starts_at, ends_at: null };
  const each = SENDING_MS + (pacing.min_delay_ms + pacing.max_delay_ms) / 2 + (pacing.typing ? TYPING_MS : 0);
  const days = settings.warmup.enabled ? settings.warmup.days : null;
  const share = Math.ceil(messages / devices.length);
  const ends = devices.map(({ linked_at = null }) => {
    let left = share;
    let at = starts_at;
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const young = youngDay(linked_at, days, at);
      const until = Math.min(
        window.enabled ? closesAt(window, timezone, at) : Number.POSITIVE_INFINITY,
        young?.endsAt ?? Number.POSITIVE_INFINITY,
      );
      const fits = Math.min(Math.floor((until - at) / each), young?.limit ?? Number.POSITIVE_INFINITY);
      if (left <= fits) return Math.round(at + left * each);
      left -= fits;
      at = opens(until);
    }
    return Number.POSITIVE_INFINITY;
  });
  const last = Math.max(...ends);
  return { starts_at, ends_at: Number.isFinite(last) ? last : null };
}
