import type { JSX } from 'preact';
import { OperatorsOnly } from './gate.tsx';
import { Tenants } from './tenants.tsx';
import { words } from './words.ts';

const MANY = 200;

export function TenantsPage(): JSX.Element {
  const t = words();
  return (
    <OperatorsOnly title={t.tenants} about={t.tenantsAbout}>
      <Tenants limit={MANY} />
    </OperatorsOnly>
  );
}
