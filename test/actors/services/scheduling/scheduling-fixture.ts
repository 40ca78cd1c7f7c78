import { testConsentsIn } from '../../../support/consents.ts';
import { type Answer, type Api, aGateway, type Device, type Gateway, PHONE, type Tenant } from '../../../support/gateway.ts';
import { interruptedStore } from '../../../support/interrupted-store.ts';
import type { Scope, StoreKind } from '../../../support/stores.ts';

/** A tenant with an online device without pacing. */
export interface SchedulingFixture {
  readonly gateway: Gateway;
  readonly acme: Tenant;
  readonly api: Api;
  readonly device: Device;
}

export async function aSchedulingFixture(scope: Scope, kind: StoreKind): Promise<SchedulingFixture> {
  const gateway = await aGateway(scope, { kind });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  await acme.api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0 } });
  return { gateway, acme, api: acme.api, device };
}

/**
 * A call with a key, and the same call again a minute later, while the first one, which seems to have died, waits for this reading. Gives what both
 * are answered.
 */
export async function repeatedMeanwhile(
  scope: Scope,
  kind: StoreKind,
  reading: Parameters<typeof interruptedStore>[1],
  prepare: (fixture: SchedulingFixture) => Promise<() => Promise<Answer>>,
): Promise<{ readonly fixture: SchedulingFixture; readonly answers: readonly Answer[] }> {
  let isUnderWay = false;
  const again = Promise.withResolvers<Answer>();
  const repeated = async () => {
    fixture.gateway.clock.jump(60_000);
    again.resolve(await call());
  };
  const fresh = async (own: Scope) => interruptedStore(await kind.fresh(own), { ...reading, when: () => isUnderWay }, repeated);
  const fixture = await aSchedulingFixture(scope, { name: kind.name, fresh });
  const call = await prepare(fixture);
  isUnderWay = true;
  return { fixture, answers: [await call(), await again.promise] };
}

/** The same device after its gateway was killed and started again. */
export async function crashed({ gateway, acme, device }: SchedulingFixture): Promise<SchedulingFixture> {
  const again = await gateway.crash();
  return { gateway: again, acme, api: again.as(acme.tokens.token), device };
}

/** The texts on a phone, oldest first. */
export function textsOn({ sandbox }: Gateway, digits: string): readonly string[] {
  const contents = sandbox.phone(digits).messages(1_000).toReversed();
  return contents.map(({ content }) => (content.type === 'text' ? content.body : content.type));
}

/** This person asked the tenant to be left alone. */
export async function optOut({ store, clock }: Gateway, tenant_id: string, who: string): Promise<void> {
  const at = clock.now();
  const change = { status: 'opted_out', source: 'api', note: null } as const;
  const times = {
    created_at: at,
    updated_at: at,
    seq: 1,
    outbox: [],
    outbox_pending: false,
    confirmed: { since: 0, count: 0 },
    lifted_by: null,
  };
  await testConsentsIn(store).change(tenant_id, [who], () => ({
    _id: `${tenant_id}:${who}`,
    tenant_id,
    subject: who,
    ...change,
    ...times,
  }));
}
