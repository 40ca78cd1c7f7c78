import type { JSX } from 'preact';
import { BASE } from '../../../pages.ts';
import { OperatorsOnly } from './gate.tsx';
import { Nodes } from './nodes.tsx';
import { Sender } from './sender.tsx';
import { Tenants } from './tenants.tsx';
import { words } from './words.ts';

const FEW = 5;

export function OperatorPage(): JSX.Element {
  const t = words();
  return (
    <OperatorsOnly title={t.overview} about={t.overviewAbout}>
      <div class="row apart">
        <h2>{t.worst}</h2>
        <a href={`${BASE}/operator/tenants`}>{t.more}</a>
      </div>
      <Tenants limit={FEW} />
      <div class="row apart">
        <h2>{t.nodes}</h2>
        <a href={`${BASE}/operator/cluster`}>{t.moreNodes}</a>
      </div>
      <Nodes />
      <h2>{t.sender}</h2>
      <Sender />
    </OperatorsOnly>
  );
}
