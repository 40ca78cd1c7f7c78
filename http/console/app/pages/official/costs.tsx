import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { numberText } from '../../words/formats.ts';
import { priceText } from '../../words/money.ts';
import { wordOf, words } from './words.ts';

type Row = Schemas['AnalyticsCost'];

const DAYS = { 7: 7, 30: 30, 90: 90 } as const;

export function Costs({ days }: { readonly days: keyof typeof DAYS | '7' | '30' | '90' }): JSX.Element | null {
  const t = words();
  const costs = useResource(`costs ${days}`, async (signal) => {
    const { rows } = await call('getAnalyticsCosts', { query: { days: DAYS[days] } }, { signal });
    const sessions = rows.length === 0 ? [] : (await call('listSessions', {}, { signal })).sessions;
    return { rows, names: new Map(sessions.map((one) => [one.id, nameOfDevice(one)])) };
  }).load.value;
  if (costs.state !== 'loaded' || costs.data.rows.length === 0) return null;
  const { rows, names } = costs.data;
  const categories = { ...t.categories, service: t.service };
  return (
    <section class="card stack" data-testid="costs">
      <div class="card-head">
        <h2>{t.costs}</h2>
        <span class="small meta">{t.costsAbout}</span>
      </div>
      <section class="table-box" tabIndex={0} aria-label={t.costs}>
        <table class="number-table">
          <thead>
            <tr>
              {Object.values(t.columns).map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={[row.session_id, row.category, row.country, row.currency].join()} data-testid="cost-row">
                <th scope="row" class="breaks">
                  <bdi>{names.get(row.session_id) ?? row.session_id}</bdi>
                </th>
                <td>{wordOf(categories, row.category)}</td>
                <td>{row.country ?? '–'}</td>
                <td>{numberText(row.billed)}</td>
                <td>{numberText(row.free)}</td>
                <td>{amountOf(row)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p>
        {t.total}: <b class="figures">{sumsOf(rows).join(', ')}</b>
      </p>
    </section>
  );
}

/**
 * Shows a campaign's costs in one line, or nothing if it has no costs. Pass a new `version` to
 * reload them.
 */
export function CampaignCosts({ id, version }: { readonly id: string; readonly version: string }): JSX.Element | null {
  const t = words();
  const costs = useResource(`costs of ${id} ${version}`, (signal) => call('getAnalyticsCosts', { query: { blast_id: id } }, { signal }));
  const load = costs.load.value;
  if (load.state !== 'loaded' || load.data.rows.length === 0) return null;
  const { rows } = load.data;
  const billed = rows.reduce((sum, row) => sum + row.billed, 0);
  return (
    <p data-testid="campaign-costs">
      {t.spent}: <b class="figures">{sumsOf(rows).join(', ') || t.unpriced(numberText(billed))}</b>
    </p>
  );
}

const amountOf = ({ amount, currency }: Pick<Row, 'amount' | 'currency'>): string =>
  amount === null || currency === null ? '–' : priceText(amount, currency);

function sumsOf(rows: readonly Row[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { amount, currency } of rows) if (amount !== null && currency !== null) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].map(([currency, amount]) => priceText(amount, currency));
}
