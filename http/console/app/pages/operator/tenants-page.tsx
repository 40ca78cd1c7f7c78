import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import type { RouteProps } from '../../guard.tsx';
import { addressWith } from '../../ui/address.ts';
import { Field } from '../../ui/field.tsx';
import { OperatorsOnly } from './gate.tsx';
import { Tenants } from './tenants.tsx';
import { words } from './words.ts';

const MANY = 200;

export function TenantsPage({ query = {} }: RouteProps): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const search = query['q'] ?? '';
  return (
    <OperatorsOnly title={t.tenants} about={t.tenantsAbout}>
      <Field
        label={t.search}
        type="search"
        maxLength={64}
        autocomplete="off"
        value={search}
        onValue={(q) => route(addressWith('/operator/tenants', { q: q === '' ? undefined : q }), true)}
      />
      <Tenants limit={MANY} search={search} />
    </OperatorsOnly>
  );
}
