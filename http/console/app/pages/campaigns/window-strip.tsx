import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { zone } from '../../state/zone.ts';
import { DAY_MINUTES, minuteOf, spansBetween, todayOf } from '../../ui/day.ts';
import { DayStrip } from '../../ui/day-strip.tsx';
import { words } from './words.ts';

interface WindowStripProps {
  readonly usedSince?: number | null;
  /** Epoch ms of the planned start and end. */
  readonly planned?: readonly [from: number, to: number] | null;
}

export function WindowStrip({ usedSince = null, planned = null }: WindowStripProps): JSX.Element | null {
  const t = words();
  const found = useResource('send window', (signal) => call('getSettings', {}, { signal })).load.value;
  if (found.state !== 'loaded') return null;
  const { send_window: own } = found.data;
  const [now, here] = [Date.now(), zone.value];
  return (
    <DayStrip
      label={own.enabled ? (own.zone === 'recipient' ? t.windowOfEach : t.windowOf)(own.start, own.end) : t.windowAlways}
      open={own.enabled ? spansBetween(own.start, own.end) : [[0, DAY_MINUTES]]}
      used={usedSince === null ? null : todayOf(usedSince, now, now, here)}
      planned={planned && todayOf(planned[0], planned[1], now, here)}
      now={minuteOf(now, here)}
    />
  );
}
