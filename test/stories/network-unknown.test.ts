import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

eachStore('unknown content', (kind) => {
  it('is counted by field for the operator, and is stored as an unsupported message', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    for (const field of [119, 119, 120]) gateway.sandbox.phone(ANNA).writeUnknown({ to: PHONE, field });
    const { contents } = await gateway.until('all are counted', async () => {
      const { unknown } = (await gateway.operator('GET', '/v1/admin/network')).body;
      return unknown.contents.field_120 === 1 && unknown;
    });
    assert.deepEqual(contents, { field_119: 2, field_120: 1 });
    const { body } = await gateway.operator('GET', '/v1/admin/network/samples');
    const samples = body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    assert.deepEqual(samples.map(({ name }: { name: string }) => name).toSorted(), ['field_119', 'field_119', 'field_120']);
    assert.deepEqual(samples[0].fields, [{ field: Number(samples[0].name.slice(6)), wire: 2, length: 0 }]);
    const { messages } = (await acme.api('GET', `${device.path}/messages`)).body;
    assert.deepEqual(
      messages.map((one: { kind: string }) => one.kind),
      ['unsupported', 'unsupported', 'unsupported'],
    );
  });
});
