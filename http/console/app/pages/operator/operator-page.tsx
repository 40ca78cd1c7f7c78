import type { JSX } from 'preact';
import { BASE } from '../../../pages.ts';
import { Balance } from './balance.tsx';
import { OperatorsOnly } from './gate.tsx';
import { Nodes } from './nodes.tsx';
import { Sender } from './sender.tsx';
import { Tenants } from './tenants.tsx';
import { words } from './words.ts';

const FEW = 5;

/** What the operator looks at first. */
export function OperatorPage(): JSX.Element {
  const t = words();
  return (
    <OperatorsOnly title={t.overview} about={t.overviewAbout}>
      <Nodes />
      <Balance />
      <h2>{t.sender}</h2>
      <Sender />
      <div class="row apart">
        <h2>{t.tenants}</h2>
        <a href={`${BASE}/operator/tenants`}>{t.more}</a>
      </div>
      <Tenants limit={FEW} />
    </OperatorsOnly>
  );
}
