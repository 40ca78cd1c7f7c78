import type { Update } from '../port.ts';
import type { MessageRow } from './message-row.ts';

/** The timer is 0 seconds if it is off. `at` is when it was set, by the network's clock. */
export interface ChatTimer {
  readonly seconds: number;
  readonly at: number;
}

export function alikeByTimer(
  rows: readonly MessageRow[],
  timerOf: (chatId: string) => ChatTimer | null,
): readonly (readonly [timer: ChatTimer | null, rows: readonly MessageRow[]])[] {
  const groups = Map.groupBy(rows, (row) => {
    const timer = timerOf(row.chat_id);
    return timer ? `${timer.seconds} ${timer.at}` : String(hasLifetime(row));
  });
  return [...groups.values()].map((alike) => [alike[0] ? timerOf(alike[0].chat_id) : null, alike] as const);
}

const hasLifetime = ({ parts, vanishes_at }: MessageRow): boolean => parts.ephemeral !== undefined || vanishes_at !== undefined;

export function lifetime(timer: ChatTimer | null, rows: readonly MessageRow[], now: number): Update {
  if (timer) return { $set: { 'parts.ephemeral': timer.seconds, timer_at: timer.at, vanishes_at: now + timer.seconds * 1_000 } };
  return rows.some(hasLifetime) ? { $unset: { 'parts.ephemeral': '', timer_at: '', vanishes_at: '' } } : {};
}

export function withLifetime(row: MessageRow, timer: ChatTimer | null, now: number): MessageRow {
  if (!timer && !hasLifetime(row)) return row;
  const { timer_at: _set, vanishes_at: _end, parts, ...rest } = row;
  const { ephemeral: _seconds, ...others } = parts;
  if (!timer) return { ...rest, parts: others };
  return { ...rest, parts: { ...others, ephemeral: timer.seconds }, timer_at: timer.at, vanishes_at: now + timer.seconds * 1_000 };
}
