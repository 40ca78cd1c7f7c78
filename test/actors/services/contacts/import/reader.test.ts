import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createImportReader } from '../../../../../actors/services/contacts/import/reader.ts';

it('files of contacts are in memory a few at a time of each tenant; those that wait are not read from', async (t) => {
  const reader = createImportReader();
  t.after(() => reader.close());
  const begun: string[] = [];
  const arrived = Promise.withResolvers<Uint8Array>();
  const slow = (tenant: string) =>
    reader.json(tenant, () => {
      begun.push(tenant);
      return arrived.promise;
    });
  const all = Promise.allSettled([...Array.from({ length: 13 }, () => slow('one')), slow('other')]);
  await new Promise(setImmediate);
  assert.deepEqual(begun, ['one', 'one', 'other']);
  arrived.resolve(Buffer.from('{"rows": [{"phone": "1"}]}'));
  const refused = (await all).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  assert.deepEqual([begun.length, refused], [13, ['OVERLOADED']]);
});
