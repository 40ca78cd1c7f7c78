import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge, DeviceBadge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { agoText, numberText, percentText } from '../../words/formats.ts';
import { phoneText } from '../../words/phone.ts';
import { words } from './words.ts';

type Tenant = Schemas['Tenant'];
type Reason = Tenant['reasons'][number];

const TONES = { green: 'good', yellow: 'warn', red: 'bad' } as const;

/** Reasons whose figure is a share from 0 to 1. */
const SHARES: ReadonlySet<Reason['what']> = new Set(['delivery', 'failing', 'first_contacts', 'lookups']);

interface TenantsProps {
  readonly limit: number;
  readonly search?: string;
}

export function Tenants({ limit, search = '' }: TenantsProps): JSX.Element {
  const t = words();
  const query = { sort: 'worst', limit, ...(search !== '' && { q: search }) } as const;
  const tenants = useResource(`tenants ${limit} ${search}`, (signal) => call('listTenants', { query }, { signal }));
  const empty = search === '' ? <Empty title={t.noTenants} about={t.noTenantsAbout} /> : <Empty title={t.noMatch} about={t.noMatchAbout} />;
  return (
    <Loaded of={tenants}>
      {({ tenants: list }) => (
        <Listing of={list} empty={empty}>
          {(tenant) => <Row key={tenant.id} tenant={tenant} onChange={tenants.reload} />}
        </Listing>
      )}
    </Loaded>
  );
}

function Row({ tenant, onChange }: { readonly tenant: Tenant; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, name, phone, plan, suspended, color, reasons } = tenant;
  const isOpen = useSignal(false);
  return (
    <li data-testid="tenant-row">
      <div class="line">
        <Avatar id={id} name={name} />
        <div class="grow">
          <strong class="breaks">
            <bdi>{name}</bdi>
          </strong>
          <p class="soft small breaks">
            <bdi class="tel">{phoneText(phone.replace(/\D/g, ''))}</bdi> · {plan}
          </p>
          {reasons.map((reason) => (
            <p key={reason.what} class="small">
              <ReasonText reason={reason} />
            </p>
          ))}
        </div>
        {suspended ? <Badge tone="bad" text={t.suspended} /> : <Badge tone={TONES[color]} text={t.colors[color]} />}
        <button
          type="button"
          class="button slim"
          aria-expanded={isOpen.value}
          aria-label={t.detailsOf(name)}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          {t.details}
        </button>
      </div>
      {isOpen.value && <Details tenant={tenant} onChange={onChange} />}
    </li>
  );
}

const ReasonText = ({ reason: { what, figure, since } }: { readonly reason: Reason }): JSX.Element => (
  <>
    {words().reasons[what](SHARES.has(what) ? percentText(figure) : numberText(figure))}{' '}
    <span class="meta">({agoText(since, Date.now())})</span>
  </>
);

function Details({ tenant: { id, name, suspended }, onChange }: { readonly tenant: Tenant; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const health = useResource(id, (signal) => call('getTenantHealth', { params: { id }, query: { days: 7 } }, { signal }));
  return (
    <div class="tenant-details stack">
      <Loaded of={health}>
        {({ devices, signs, totals }) => (
          <>
            <dl class="node-figures">
              {(['sent', 'received', 'failed'] as const).map((figure) => (
                <div key={figure}>
                  <dt>{t.totals[figure]}</dt>
                  <dd>{numberText(totals[figure])}</dd>
                </div>
              ))}
            </dl>
            {devices.length === 0 && <p class="soft small">{t.hasNoDevices}</p>}
            <ul class="stack-small">
              {devices.map((device) => (
                <li key={device.id}>
                  <div class="row apart">
                    <bdi class="breaks">{device.name ?? device.phone ?? device.id}</bdi>
                    <DeviceBadge status={device.status} />
                  </div>
                  {signs
                    .filter((sign) => sign.device === device.id)
                    .flatMap(({ reasons }) => reasons)
                    .map((reason) => (
                      <p key={reason.what} class="small soft">
                        <ReasonText reason={reason} />
                      </p>
                    ))}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <div class="row apart">
        <code class="tiny meta breaks">{id}</code>
        <Suspension id={id} name={name} suspended={suspended} onChange={onChange} />
      </div>
    </div>
  );
}

interface SuspensionProps extends Pick<Tenant, 'id' | 'name' | 'suspended'> {
  readonly onChange: () => void;
}

function Suspension({ id, name, suspended, onChange }: SuspensionProps): JSX.Element {
  const t = words();
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
    <>
      {suspended ? (
        <button type="button" class="button slim" disabled={acting.isBusy.value} onClick={turn}>
          {t.resume}
        </button>
      ) : (
        <button type="button" class="button slim danger" aria-haspopup="dialog" onClick={() => (isAsked.value = true)}>
          {t.suspend}
        </button>
      )}
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
    </>
  );
}
