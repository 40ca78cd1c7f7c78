import type { JSX } from 'preact';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { unread, unreadText } from '../../state/unread.ts';
import { Spark } from '../../ui/spark.tsx';
import { numberText } from '../../words/formats.ts';
import { words } from './words.ts';

const COUNTED = ['received', 'sent', 'failed'] as const;

export interface Figures {
  /** Values of the last seven days, with today last. */
  readonly days: Readonly<Record<(typeof COUNTED)[number], readonly number[]>>;
}

export async function loadToday(signal: AbortSignal): Promise<Figures> {
  const { days } = await call('getAnalyticsDaily', { query: { days: 7 } }, { signal });
  return {
    days: {
      received: days.map(({ received }) => received),
      sent: days.map(({ sent }) => sent),
      failed: days.map(({ failed }) => failed),
    },
  };
}

export function Today({ figures: { days } }: { readonly figures: Figures }): JSX.Element {
  const t = words();
  return (
    <div class="tiles">
      {COUNTED.map((name) => (
        <a key={name} class="tile" href={`${BASE}/analytics`}>
          <span>{t.figures[name]}</span>
          <span class="tile-figure">{numberText(days[name].at(-1) ?? 0)}</span>
          <Spark values={days[name]} tone={name === 'failed' ? (days.failed.some((count) => count > 0) ? 'bad' : 'grey') : undefined} />
        </a>
      ))}
      <a class="tile" href={`${BASE}/inbox?unread=true`}>
        <span>{t.figures.unread}</span>
        <span class="tile-figure">{unreadText(unread.value.all)}</span>
      </a>
    </div>
  );
}
