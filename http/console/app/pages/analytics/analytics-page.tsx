import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import type { RouteProps } from '../../guard.tsx';
import { zone } from '../../state/zone.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { cityOf, longDayText, numberText } from '../../words/formats.ts';
import { Costs } from '../official/costs.tsx';
import { Answers } from './answers.tsx';
import { BusyHours } from './busy-hours.tsx';
import { Chart, DayTable, Keys } from './chart.tsx';
import { COMPARED, type Compared, Comparison, DAYS, RANGES, type Range } from './comparison.tsx';
import { Tiles } from './tiles.tsx';
import { words } from './words.ts';

type Day = Schemas['AnalyticsDay'];

export function AnalyticsPage({ query = {} }: RouteProps): JSX.Element {
  const t = words();
  const range = RANGES.find((one) => one === query['days']) ?? '7';
  const by = COMPARED.find((one) => one === query['by']) ?? 'devices';
  const asked = { query: { days: DAYS[range] } };
  const overview = useResource(range, (signal) => call('getAnalyticsOverview', asked, { signal }));
  const daily = useResource(range, (signal) => call('getAnalyticsDaily', asked, { signal }));
  const hourly = useResource(range, (signal) => call('getAnalyticsHourly', asked, { signal }));
  const answers = useResource(range, (signal) => call('getAnalyticsAnswers', asked, { signal }));
  const days = daily.load.value.state === 'loaded' ? daily.load.value.data.days : null;
  const ranges = RANGES.map((one) => [one, t.days(numberText(DAYS[one]))] as const);
  const kinds = COMPARED.map((one) => [one, t.by[one]] as const);
  return (
    <Page
      title={t.title}
      about={aboutOf(days)}
      width="wide"
      actions={
        <>
          <Segmented label={t.range} value={range} options={ranges} hrefOf={(one) => addressOf(one, by)} />
          <button type="button" class="button" disabled={!days?.length} onClick={() => days && download(days)}>
            <Icon name="download" />
            {t.export}
          </button>
        </>
      }
    >
      <div class="stack">
        <Loaded of={overview}>{(figures) => <Tiles figures={figures} days={days} />}</Loaded>
        <section class="card stack">
          <div class="card-head">
            <h2>{t.daily}</h2>
            <Keys />
          </div>
          <Loaded of={daily}>
            {({ days: list }) =>
              list.every(({ sent, received, failed }) => sent + received + failed === 0) ? (
                <Empty title={t.none} about={t.noneAbout} />
              ) : (
                <>
                  <Chart days={list} />
                  <p class="small meta">{t.point}</p>
                  <div class="card-foot">
                    <DayTable days={list} />
                    <AsCode operation="getAnalyticsDaily" input={asked} />
                  </div>
                </>
              )
            }
          </Loaded>
        </section>
        <div class="halves">
          <section class="card stack">
            <div class="card-head">
              <h2>{t.hours}</h2>
              <span class="small meta">{t.hoursAbout}</span>
            </div>
            <Loaded of={hourly}>{({ hours }) => <BusyHours hours={hours} />}</Loaded>
          </section>
          <section class="card stack">
            <h2>{t.who}</h2>
            <Loaded of={answers}>{(data) => <Answers {...data} />}</Loaded>
          </section>
        </div>
        <section class="card stack">
          <div class="card-head">
            <h2>{t.compare}</h2>
            <Segmented label={t.compare} value={by} options={kinds} hrefOf={(one) => addressOf(range, one)} />
          </div>
          <Comparison days={range} by={by} />
        </section>
        <Costs days={range} />
      </div>
    </Page>
  );
}

const addressOf = (days: Range, by: Compared): string => `${BASE}/analytics?days=${days}&by=${by}`;

function aboutOf(days: readonly Day[] | null): string {
  const t = words();
  const [first, last] = [days?.[0], days?.at(-1)];
  if (!(first && last && days)) return t.about;
  return t.period(longDayText(first.date), longDayText(last.date), cityOf(zone.value), numberText(days.length));
}

const COLUMNS = ['date', 'sent', 'delivered', 'read', 'failed', 'received'] as const;

function download(days: readonly Day[]): void {
  const lines = [COLUMNS.join(), ...days.map((day) => COLUMNS.map((name) => day[name]).join())];
  saveFile(new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' }), `messages-${days[0]?.date}-${days.at(-1)?.date}.csv`);
}
