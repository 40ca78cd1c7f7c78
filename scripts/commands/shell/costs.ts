import type { Schemas } from '../../../http/openapi/client/gateway.generated.ts';
import { Failure } from '../cluster/operator.ts';
import { table } from '../cluster/table.ts';
import { type Command, textOf } from './command.ts';

type Row = Schemas['AnalyticsCost'];

const COLUMNS = [
  { title: 'DEVICE' },
  { title: 'CATEGORY' },
  { title: 'COUNTRY' },
  { title: 'PAID', isFigure: true },
  { title: 'FREE', isFigure: true },
  { title: 'AMOUNT', isFigure: true },
];
const PERIODS = [7, 30, 90] as const;

export const COSTS: readonly Command[] = [
  {
    name: 'costs',
    about: 'Show what delivered messages of official numbers cost, by device, category and country.',
    options: {
      days: { type: 'string', value: 'N', about: '7, 30 (default) or 90' },
      campaign: { type: 'string', value: 'ID', about: 'Show only the costs of this campaign, from its start' },
    },
    async run({ api }, _names, options) {
      const given = textOf(options, 'days') ?? '30';
      const days = PERIODS.find((one) => String(one) === given);
      if (days === undefined) throw new Failure('--days must be 7, 30 or 90.');
      const blast_id = textOf(options, 'campaign');
      const found = await api.call('getAnalyticsCosts', { query: { days, ...(blast_id && { blast_id }) } });
      return { json: found, text: found.rows.length === 0 ? 'No costs.' : shownAll(found.rows) };
    },
  },
];

function shownAll(rows: readonly Row[]): string {
  const lines = rows.map(({ session_id, category, country, currency, billed, free, amount }) => [
    ...[session_id, category, country ?? '-', String(billed), String(free)],
    amount === null ? '-' : `${amount} ${currency}`,
  ]);
  const sums = new Map<string, number>();
  for (const { amount, currency } of rows) if (amount !== null && currency !== null) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  // Rounds the sums, because adding decimal fractions in binary leaves small errors.
  const together = [...sums].map(([currency, sum]) => `${Number(sum.toFixed(6))} ${currency}`).join(', ');
  return `${table(COLUMNS, lines)}\nTotal: ${together || '-'}`;
}
