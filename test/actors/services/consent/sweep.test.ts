import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createConsentService } from '../../../../actors/services/consent/consent-service.ts';
import { testConsentsIn } from '../../../support/consents.ts';
import { eachStore } from '../../../support/stores.ts';

const OPT_OUT = { status: 'opted_out', source: 'api', note: null } as const;
const person = (nth: number): string => `62812111${String(10_000 + nth)}`;

eachStore('the consent sweep', (kind) => {
  it('processes one business even if many entries of another business fail', async (t) => {
    const store = await kind.fresh(t);
    const consents = testConsentsIn(store);
    const tenants: string[] = [];
    let isDown = true;
    const service = createConsentService({
      consents,
      eventLog: { record: async () => {} },
      async cancelMarketing(tenantId) {
        tenants.push(tenantId);
        if (isDown || tenantId === 'broken') throw new Error('its messages cannot be cancelled');
      },
      complained: async () => {},
      confirm: async () => {},
    });
    await store.prepare();
    const people = Array.from({ length: 600 }, (_, nth) => person(nth));
    await assert.rejects(service.setAll('broken', people, { ...OPT_OUT, at: 1 }));
    await assert.rejects(service.set('sound', person(0), { ...OPT_OUT, at: 2 }));
    isDown = false;
    tenants.length = 0;

    await assert.rejects(service.processOutbox(3), /cannot be cancelled/);
    const [sound, broken] = [await consents.find('sound', person(0)), await consents.find('broken', person(0))];
    assert.deepEqual([sound?.outbox_pending, broken?.outbox_pending, tenants], [false, true, ['broken', 'sound']]);
  });
});
