import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { numberText, whenText } from '../../words/formats.ts';
import { moneyText } from '../../words/money.ts';
import { words } from './words.ts';

type Invoice = Schemas['Invoice'];

const TONES = { open: 'warn', paid: 'good', expired: 'calm', void: 'calm', refunded: 'calm', disputed: 'bad' } as const;

export function Invoices(props: Schemas['ListInvoicesResponse'] & { readonly isFirst: boolean }): JSX.Element {
  const t = words();
  const { invoices, next_before, next_before_id, isFirst } = props;
  if (invoices.length === 0 && isFirst) return <Empty title={t.none} about={t.noneAbout} />;
  return (
    <>
      <ul class="list">
        {invoices.map((invoice) => (
          <Row key={invoice.id} invoice={invoice} />
        ))}
      </ul>
      <div class="row">
        {!isFirst && (
          <a class="button slim" href={`${BASE}/billing`}>
            {t.newest}
          </a>
        )}
        {next_before !== null && (
          <a class="button slim" href={`${BASE}/billing?before=${next_before}&before_id=${next_before_id}`}>
            {common().more}
          </a>
        )}
      </div>
    </>
  );
}

function Row({ invoice }: { readonly invoice: Invoice }): JSX.Element {
  const t = words();
  const { number, plan, amount, currency, status, created_at, payment_url } = invoice;
  const title = `${plan}, ${moneyText(amount, currency)}`;
  return (
    <li>
      <div class="line">
        <div class="grow">
          <strong>{title}</strong>
          <p class="soft small">
            {number ?? t.noNumber} · {whenText(created_at)}
          </p>
        </div>
        <Badge tone={TONES[status]} text={t.state[status]} />
        {status === 'open' && payment_url !== null && (
          <a class="button slim" href={payment_url} aria-label={t.payOf(title)}>
            {t.pay}
          </a>
        )}
      </div>
      <details class="line as-code">
        <summary>{t.lines}</summary>
        <Lines invoice={invoice} />
      </details>
    </li>
  );
}

export const Lines = ({ invoice: { lines, currency } }: { readonly invoice: Invoice }): JSX.Element => (
  <ul class="stack small">
    {lines.map(({ kind, text, quantity, amount }) => (
      <li key={kind + text} class="row apart">
        <span class="breaks">
          {text}
          {quantity !== 1 && ` × ${numberText(quantity)}`}
        </span>
        <span>{moneyText(amount, currency)}</span>
      </li>
    ))}
  </ul>
);
