import assert from 'node:assert/strict';
import { it } from 'node:test';
import { addressOf } from '../../../../actors/network/subject.ts';
import { createConsentCheck } from '../../../../actors/services/consent/check.ts';

const [ANNA, DIALLED, LID] = ['6281211110001', '6281211110091', '99123456789@lid'];
const all = [ANNA, DIALLED, LID];

for (const said of all)
  it(`opt-outs stored under ${said} apply to every number and address of the person`, async () => {
    const { admit } = createConsentCheck({
      consents: {
        statusOf: async (_tenantId, subjects) => new Map(subjects.flatMap((one) => (one === said ? [[one, 'opted_out']] : []))),
        find: async () => null,
      },
      windows: { end: async () => null },
      now: () => 0,
      configs: { find: async () => null, save: async () => true },
      people: { formsOf: async (_tenantId, subjects) => new Map(subjects.map((one) => [one, { phone: ANNA, all }])) },
    });
    for (const one of all) assert.deepEqual(await admit('t', addressOf(one)), { isOptedOut: true }, one);
    assert.deepEqual(await admit('t', '120363000000000000@g.us'), { isOptedOut: false });
  });
