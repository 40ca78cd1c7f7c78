import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import { AsCode } from '../../ui/as-code.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { numberText, percentText } from '../../words/formats.ts';
import { Chart, DayTable } from './chart.tsx';
import { words } from './words.ts';

const RANGES = [7, 30, 90] as const;
type Range = (typeof RANGES)[number];

const COMPARED = ['devices', 'agents', 'blasts'] as const;
type Compared = (typeof COMPARED)[number];

/** Range and comparison stand in the address: `days` as in the API, and `by`. */
export function AnalyticsPage({ query = {} }: RouteProps): JSX.Element {
  const t = words();
  const days = RANGES.find((one) => String(one) === query['days']) ?? 7;
  const by = COMPARED.find((one) => one === query['by']) ?? 'devices';
  const overview = useResource(`${days}`, (signal) => call('getAnalyticsOverview', { query: { days } }, { signal }));
  const daily = useResource(`${days}`, (signal) => call('getAnalyticsDaily', { query: { days } }, { signal }));
  return (
    <Page title={t.title} about={t.about} width="wide">
      <div class="stack">
        <nav class="row" aria-label={t.range}>
          {RANGES.map((one) => (
            <Choice key={one} href={addressOf(one, by)} isChosen={one === days} text={t.days(numberText(one))} />
          ))}
        </nav>
        <section class="card">
          <Loaded of={overview}>{(figures) => <Overview figures={figures} />}</Loaded>
        </section>
        <section class="card stack">
          <h2>{t.daily}</h2>
          <Loaded of={daily}>
            {({ days: list }) =>
              list.every(({ sent, received, failed }) => sent + received + failed === 0) ? (
                <Empty title={t.none} about={t.noneAbout} />
              ) : (
                <>
                  <Chart days={list} />
                  <DayTable days={list} />
                </>
              )
            }
          </Loaded>
          <AsCode operation="getAnalyticsDaily" input={{ query: { days } }} />
        </section>
        <section class="card stack">
          <h2>{t.compare}</h2>
          <nav class="row" aria-label={t.compare}>
            {COMPARED.map((one) => (
              <Choice key={one} href={addressOf(days, one)} isChosen={one === by} text={t.by[one]} />
            ))}
          </nav>
          <Comparison days={days} by={by} />
        </section>
      </div>
    </Page>
  );
}

const addressOf = (days: Range, by: Compared): string => `${BASE}/analytics?days=${days}&by=${by}`;

interface ChoiceProps {
  readonly href: string;
  readonly isChosen: boolean;
  readonly text: string;
}

const Choice = ({ href, isChosen, text }: ChoiceProps): JSX.Element => (
  <a class={isChosen ? 'button slim first' : 'button slim'} href={href} aria-current={isChosen ? 'true' : undefined}>
    {text}
  </a>
);

type Figures = Schemas['AnalyticsOverview'];
type Name = keyof Figures;

const SHOWN: readonly Name[] = [
  'sent',
  'received',
  'delivery_rate',
  'read_rate',
  'reply_rate',
  'failed',
  'active_chats',
  'new_contacts',
  'opt_outs',
  'median_first_reply_ms',
];
const MINUTE_MS = 60_000;

function figureText(name: Name, value: number | null): string {
  if (value === null) return '–';
  if (name.endsWith('_rate')) return percentText(value);
  return name === 'median_first_reply_ms' ? words().minutes(numberText(Math.round(value / MINUTE_MS))) : numberText(value);
}

function Overview({ figures }: { readonly figures: Figures }): JSX.Element {
  const t = words();
  return (
    <dl class="facts">
      {SHOWN.map((name) => (
        <div key={name}>
          <dt>{t.figures[name]}</dt>
          <dd class="figure-large" data-testid={`analytics-${name}`}>
            {figureText(name, figures[name].value)}
          </dd>
          <dd class="small soft">{t.before(figureText(name, figures[name].previous))}</dd>
        </div>
      ))}
    </dl>
  );
}

async function compared(by: Compared, days: Range, signal: AbortSignal): Promise<readonly Schemas['AnalyticsItem'][]> {
  const input = { query: { days } };
  switch (by) {
    case 'devices':
      return (await call('getAnalyticsDevices', input, { signal })).devices;
    case 'agents':
      return (await call('getAnalyticsAgents', input, { signal })).agents;
    case 'blasts':
      return (await call('getAnalyticsBlasts', input, { signal })).blasts;
  }
}

const COLUMNS = ['sent', 'received', 'delivery_rate', 'read_rate', 'reply_rate', 'failed', 'opt_outs'] as const;

function Comparison({ days, by }: { readonly days: Range; readonly by: Compared }): JSX.Element {
  const t = words();
  const items = useResource(`${by} ${days}`, (signal) => compared(by, days, signal));
  return (
    <Loaded of={items}>
      {(list) =>
        list.length === 0 ? (
          <p class="soft">{t.nothing}</p>
        ) : (
          <section class="table-box" tabIndex={0} aria-label={t.by[by]}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t.name}</th>
                  {COLUMNS.map((name) => (
                    <th key={name} scope="col">
                      {t.figures[name]}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {list.map((item) => (
                  <tr key={item.id}>
                    <th scope="row" class="breaks">
                      {item.name || item.id}
                    </th>
                    {COLUMNS.map((name) => (
                      <td key={name} class="figures">
                        {figureText(name, item[name])}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )
      }
    </Loaded>
  );
}
