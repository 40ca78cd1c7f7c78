import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { Icon } from '../../ui/icon.tsx';
import { Spark } from '../../ui/spark.tsx';
import { numberText, percentText } from '../../words/formats.ts';
import { words } from './words.ts';

type Figures = Schemas['AnalyticsOverview'];
type Name = keyof Figures;
type Day = Schemas['AnalyticsDay'];

const MINUTE_MS = 60_000;

export function figureText(name: Name, value: number | null): string {
  const t = words();
  if (value === null) return '–';
  if (name.endsWith('_rate')) return percentText(value);
  if (name !== 'median_first_reply_ms') return numberText(value);
  return value < MINUTE_MS ? t.underMinute : t.minutes(numberText(Math.round(value / MINUTE_MS)));
}

type Tone = 'good' | 'bad' | 'calm';

interface TileFacts {
  readonly name: Name;
  readonly rise: Tone;
  readonly daily?: (day: Day) => number;
}

const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

const TILES: readonly TileFacts[] = [
  { name: 'sent', rise: 'good', daily: ({ sent }) => sent },
  { name: 'received', rise: 'good', daily: ({ received }) => received },
  { name: 'delivery_rate', rise: 'good', daily: ({ delivered, sent }) => shareOf(delivered, sent) },
  { name: 'read_rate', rise: 'good', daily: ({ read, sent }) => shareOf(read, sent) },
  { name: 'median_first_reply_ms', rise: 'bad' },
  { name: 'opt_outs', rise: 'bad' },
];

const REST: readonly Name[] = ['failed', 'reply_rate', 'active_chats', 'new_contacts'];

interface TilesProps {
  readonly figures: Figures;
  readonly days: readonly Day[] | null;
}

export function Tiles({ figures, days }: TilesProps): JSX.Element {
  const t = words();
  return (
    <>
      <dl class="tiles six">
        {TILES.map(({ name, rise, daily }) => (
          <div key={name} class="tile">
            <dt>{t.figures[name]}</dt>
            <dd class="tile-figure">
              <span data-testid={`analytics-${name}`}>{figureText(name, figures[name].value)}</span>
              <Change name={name} figure={figures[name]} rise={rise} />
            </dd>
            {daily && days && days.length > 1 && (
              <dd aria-hidden="true">
                <Spark values={days.map(daily)} tone={name.endsWith('_rate') ? 'grey' : undefined} />
              </dd>
            )}
            {daily && <dd class="only-heard">{t.before(figureText(name, figures[name].previous))}</dd>}
            {!daily && figures[name].previous !== null && <dd class="small meta">{t.before(figureText(name, figures[name].previous))}</dd>}
          </div>
        ))}
      </dl>
      <dl class="rest small">
        {REST.map((name) => (
          <div key={name}>
            <dt>{t.figures[name]}</dt>
            <dd>{figureText(name, figures[name].value)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

interface ChangeProps {
  readonly name: Name;
  readonly figure: { readonly value: number | null; readonly previous: number | null };
  readonly rise: Tone;
}

/** Shows changes of counts in per cent, of shares in percentage points, and of times in minutes. */
function Change({ name, figure: { value, previous }, rise }: ChangeProps): JSX.Element | null {
  if (value === null || previous === null || (previous === 0 && !name.endsWith('_rate'))) return null;
  const change = value - previous;
  const text = changeText(name, Math.abs(change), previous);
  if (text === null) return null;
  const isGood = change > 0 === (rise === 'good');
  return (
    <span class={`delta ${isGood ? 'good' : 'bad'}`} aria-hidden="true">
      <Icon name={change > 0 ? 'up' : 'fall'} small />
      {text}
    </span>
  );
}

function changeText(name: Name, change: number, previous: number): string | null {
  const t = words();
  if (name.endsWith('_rate')) return Math.round(change * 100) === 0 ? null : t.points(numberText(Math.round(change * 100)));
  if (name === 'median_first_reply_ms') return change < MINUTE_MS ? null : t.minutes(numberText(Math.round(change / MINUTE_MS)));
  if (name === 'opt_outs') return change === 0 ? null : numberText(change);
  return Math.round((100 * change) / previous) === 0 ? null : percentText(Math.round((100 * change) / previous) / 100);
}
