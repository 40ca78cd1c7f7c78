import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { browserZone } from '../../state/zone.ts';
import { Loaded } from '../../ui/states.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { OperatorsOnly } from './gate.tsx';
import { words } from './words.ts';

export const BillingPage = (): JSX.Element => (
  <OperatorsOnly title={words().billing}>
    <Bills />
  </OperatorsOnly>
);

const KINDS = ['disputed', 'unverified', 'rejected', 'open'] as const;

function Bills(): JSX.Element {
  const t = words();
  const billing = useResource('billing', (signal) => call('getAdminBilling', {}, { signal }));
  return (
    <Loaded of={billing}>
      {(data) => (
        <>
          {KINDS.map((kind) => (
            <section key={kind} class="card stack">
              <h2>{t.bills[kind]}</h2>
              {data[kind].length === 0 ? <p class="soft">{t.noBills}</p> : <Table name={t.bills[kind]} bills={data[kind]} />}
            </section>
          ))}
        </>
      )}
    </Loaded>
  );
}

function Table({ name, bills }: { readonly name: string; readonly bills: readonly Schemas['AdminInvoice'][] }): JSX.Element {
  const t = words();
  return (
    <section class="table-box" tabIndex={0} aria-label={name}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.number}</th>
            <th scope="col">{t.tenant}</th>
            <th scope="col">{t.amount}</th>
            <th scope="col">{t.since}</th>
          </tr>
        </thead>
        <tbody>
          {bills.map(({ id, number, tenant_id, amount, currency, created_at }) => (
            <tr key={id ?? created_at}>
              <td>{number ?? t.none}</td>
              <td>
                <code>{tenant_id}</code>
              </td>
              <td class="figures">
                {numberText(amount)} {currency}
              </td>
              <td>{whenText(created_at, browserZone)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
