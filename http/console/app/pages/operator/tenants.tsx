import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { numberText } from '../../words/formats.ts';
import { words } from './words.ts';

type Tenant = Schemas['Tenant'];

const TONES = { green: 'good', yellow: 'warn', red: 'bad' } as const;

/** Tenants, those in trouble first. */
export function Tenants({ limit }: { readonly limit: number }): JSX.Element {
  const t = words();
  const tenants = useResource(`tenants ${limit}`, (signal) => call('listTenants', { query: { sort: 'worst', limit } }, { signal }));
  return (
    <Loaded of={tenants}>
      {({ tenants: list }) => (
        <Listing of={list} empty={<Empty title={t.noTenants} about={t.noTenantsAbout} />}>
          {(tenant) => <Row key={tenant.id} tenant={tenant} onChange={tenants.reload} />}
        </Listing>
      )}
    </Loaded>
  );
}

function Row({ tenant, onChange }: { readonly tenant: Tenant; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, name, phone, plan, suspended, color, reasons } = tenant;
  const isAsked = useSignal(false);
  const acting = useAct();
  const turn = (): Promise<void> =>
    acting.run(async () => {
      await call('patchTenant', { params: { id }, body: { suspended: !suspended } }).finally(() => {
        isAsked.value = false;
      });
      onChange();
    });
  return (
    <li>
      <div class="line">
        <div class="grow">
          <strong class="breaks">{name}</strong>
          <p class="soft small breaks">
            {phone} · {plan} · {id}
          </p>
          {reasons.map(({ what, figure }) => (
            <p key={what} class="small">
              {t.reasons[what]}: {numberText(figure)}
            </p>
          ))}
        </div>
        {suspended ? <Badge tone="bad" text={t.suspended} /> : <Badge tone={TONES[color]} text={t.colors[color]} />}
        {suspended ? (
          <button type="button" class="button slim" disabled={acting.isBusy.value} onClick={turn}>
            {t.resume}
          </button>
        ) : (
          <button type="button" class="button slim" aria-haspopup="dialog" onClick={() => (isAsked.value = true)}>
            {t.suspend}
          </button>
        )}
      </div>
      {acting.error.value && <Failure error={acting.error.value} />}
      <Confirm
        title={t.suspendOf(name)}
        verb={t.suspend}
        isDangerous
        isOpen={isAsked.value}
        isBusy={acting.isBusy.value}
        onClose={() => (isAsked.value = false)}
        onConfirm={turn}
      >
        <p>{t.suspendAsk}</p>
      </Confirm>
    </li>
  );
}
