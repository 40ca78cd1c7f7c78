import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aGateway, type Gateway, type Tenant } from '../../support/gateway.ts';
import { interruptedStore } from '../../support/interrupted-store.ts';
import { eachStore, type Scope, type StoreKind } from '../../support/stores.ts';
import { PNG, upload } from '../services/media/files.ts';
import { aCampaign, aCampaignFixture, type Fixture, phones, reachedOf } from './campaign-fixture.ts';

const SOON = 120_000;
const PEOPLE = phones(2);

/** A scheduled draft; `later` is changed while `first`, which names a template, waits for that. */
async function twoChanges(
  scope: Scope,
  kind: StoreKind,
  first: object,
  later: object | ((gateway: Gateway, fixture: Fixture) => Promise<object>),
) {
  let isUnderWay = false;
  let answered = 0;
  const changed = async () => {
    answered = (await api('PATCH', path, change)).status;
  };
  const reading = { name: 'templates', reading: 'findOne', when: () => isUnderWay } as const;
  const fresh = async (own: Scope) => interruptedStore(await kind.fresh(own), reading, changed);
  const gateway = await aGateway(scope, { kind: { name: kind.name, fresh } });
  const fixture = await aCampaignFixture(gateway);
  const { api } = fixture;
  const at = gateway.clock.now() + SOON;
  const path = await aCampaign(gateway, fixture, PEOPLE, { scheduled_at: at, consent_attested: true });
  const template = (await api('POST', '/v1/templates', { name: 'spring', message_type: 'text', body: 'Spring sale' })).body;
  const change = typeof later === 'function' ? await later(gateway, fixture) : later;
  isUnderWay = true;
  const { status } = await api('PATCH', path, { template_id: template.id, ...first });
  assert.deepEqual([status, answered], [200, 200]);
  return { gateway, api, path, at };
}

eachStore('changes to a campaign draft', (kind) => {
  it('prevent the scheduled start if either of two concurrent changes removes the scheduled time', async (t) => {
    const { gateway, api, path, at } = await twoChanges(t, kind, {}, { scheduled_at: null });
    await gateway.clock.advanceTo(at + 60_000);
    const { status, scheduled_at, body, name } = (await api('GET', path)).body;
    assert.deepEqual([status, scheduled_at, body, name], ['draft', null, 'Spring sale', 'Hello']);
    assert.equal(reachedOf(gateway, PEOPLE), 0);
  });

  it('are both saved if two concurrent changes set different fields', async (t) => {
    const { api, path, at } = await twoChanges(t, kind, { name: 'Spring' }, { consent_attested: false });
    const { consent_attested_at, scheduled_at, body, name } = (await api('GET', path)).body;
    assert.deepEqual([consent_attested_at, scheduled_at, body, name], [null, at, 'Spring sale', 'Spring']);
  });

  it('keep both the file from one change and the template text from a concurrent one', async (t) => {
    let key = '';
    const { api, path } = await twoChanges(t, kind, {}, async (gateway, { token }) => {
      key = (await upload(gateway, { tokens: { token } } as Tenant, PNG)).body.key;
      return { message_type: 'image', media_r2_key: key };
    });
    const { message_type, media_r2_key, body } = (await api('GET', path)).body;
    assert.deepEqual([message_type, media_r2_key, body], ['image', key, 'Spring sale']);
  });

  it('prevent the scheduled start if they remove the scheduled time, even just as the draft becomes due', async (t) => {
    let isDue = (): boolean => false;
    let answered = 0;
    const unscheduled = async () => {
      answered = (await api('PATCH', path, { scheduled_at: null })).status;
    };
    const reading = { name: 'campaigns', reading: 'findOne', when: () => isDue() } as const;
    const fresh = async (own: Scope) => interruptedStore(await kind.fresh(own), reading, unscheduled);
    const gateway = await aGateway(t, { kind: { name: kind.name, fresh } });
    const fixture = await aCampaignFixture(gateway);
    const { api } = fixture;
    const at = gateway.clock.now() + SOON;
    const path = await aCampaign(gateway, fixture, PEOPLE, { scheduled_at: at });
    isDue = () => gateway.clock.now() >= at;
    await gateway.clock.advanceTo(at + 10_000);
    assert.deepEqual([answered, (await api('GET', path)).body.status, reachedOf(gateway, PEOPLE)], [200, 'draft', 0]);
  });

  it('leave the draft unchanged if they are empty', async (t) => {
    const gateway = await aGateway(t, { kind });
    const fixture = await aCampaignFixture(gateway);
    const path = await aCampaign(gateway, fixture, PEOPLE, { scheduled_at: gateway.clock.now() + SOON });
    const before = (await fixture.api('GET', path)).body;
    const { status, body } = await fixture.api('PATCH', path, {});
    assert.deepEqual([status, body], [200, before]);
  });
});
