import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';

export type Recipient = Schemas['RecipientInput'];

/** `number,name` a line; empty lines are none, and the second line of a number neither. */
export function recipientsIn(text: string): readonly Recipient[] {
  const byNumber = new Map<string, Recipient>();
  for (const line of text.split('\n')) {
    const [number = '', ...rest] = line.split(/[,;\t]/);
    const [phone, name] = [number.trim(), rest.join(',').trim()];
    // In another script the text itself stands for its number.
    const key = phone.replace(/\D/g, '') || phone;
    if (phone !== '' && !byNumber.has(key)) byNumber.set(key, { phone, ...(name !== '' && { name }) });
  }
  return [...byNumber.values()];
}

export interface Pace {
  readonly settings: Pick<Schemas['Settings'], 'send_window' | 'pacing'>;
  /** IANA. */
  readonly timezone: string;
}

export interface Forecast {
  /** Epoch ms; null: the window does not open within a month. */
  readonly first: number | null;
  /** Epoch ms, about; null: later than a month from its start. */
  readonly last: number | null;
}

const STEP_MS = 10 * 60_000;
const MONTH_STEPS = (31 * 86_400_000) / STEP_MS;

/** When the first message of a campaign leaves, and about when the last one does, at the device's pace and inside the send window. Epoch ms. */
export function forecast(count: number, startAt: number, { settings, timezone }: Pace): Forecast {
  const { min_delay_ms, max_delay_ms } = settings.pacing;
  const each = Math.max(1, (min_delay_ms + max_delay_ms) / 2);
  const isOpen = windowAt(settings.send_window, timezone);
  let first: number | null = null;
  let left = (count - 1) * each;
  for (let nth = 0, at = startAt; nth < MONTH_STEPS; nth += 1, at += STEP_MS) {
    if (!isOpen(at)) continue;
    first ??= at;
    if (left <= STEP_MS) return { first, last: at + Math.max(0, left) };
    left -= STEP_MS;
  }
  return { first, last: null };
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Is the send window of the business open then? One that ends before it begins ends on the next day and belongs to the day it began on. */
function windowAt({ enabled, start, end, days }: Pace['settings']['send_window'], timezone: string): (at: number) => boolean {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, weekday: 'short', hour: '2-digit', minute: '2-digit' });
  return (at) => {
    if (!enabled) return true;
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const now = `${parts['hour']}:${parts['minute']}`;
    const today = DAYS.indexOf(parts['weekday'] ?? '');
    const isDay = days.includes(today);
    if (start < end) return isDay && now >= start && now < end;
    return (isDay && now >= start) || (days.includes((today + 6) % 7) && now < end);
  };
}
