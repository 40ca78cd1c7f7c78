import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aTeam } from '../../../actors/services/agents/agents-fixture.ts';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';

const BEN = '6281211110002';

eachStore('chat labels', (kind) => {
  it('can be managed by the owner, can be read by agents, and trigger one event per change', async (t) => {
    const { gateway, owner, tenant, device, dewi, budi } = await aTeam(t, kind);
    const events = ['label.updated', 'label.deleted', 'label.assigned', 'label.unassigned'];
    const hook = { url: 'https://example.com/hook', secret: 's'.repeat(40), events };
    assert.equal((await owner('POST', '/v1/webhooks', hook)).status, 201);
    const ask = (method: string, rest: string, body?: unknown) => gateway.during(owner(method, `${device.path}/labels${rest}`, body));
    const made = await ask('POST', '', { name: 'New customer', color: 3 });
    assert.deepEqual([made.status, made.body], [201, { id: '1', name: 'New customer', color: 3 }]);
    assert.equal((await ask('POST', '', { name: 'x', color: 20 })).body.code, 'VALIDATION_FAILED');
    assert.equal((await ask('POST', '', { name: 'Paid', color: 0 })).body.id, '2');
    assert.deepEqual((await ask('PATCH', '/1', { name: 'New' })).body, { id: '1', name: 'New', color: 3 });
    for (const who of [ANNA, BEN, ANNA]) assert.deepEqual((await ask('PUT', `/1/chats/${who}`)).body, { ok: true });
    assert.equal((await ask('PUT', `/9/chats/${ANNA}`)).status, 404);
    for (const id of ['constructor', '__proto__', '1'.repeat(19)]) assert.equal((await ask('PUT', `/${id}/chats/${ANNA}`)).status, 404);
    const phones = (answer: { body: { chats: { phone: string }[] } }) => answer.body.chats.map(({ phone }) => phone);
    assert.deepEqual(phones(await ask('GET', '/1/chats')), [ANNA, BEN]);

    gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'hi' } });
    await gateway.until('the chat is there', async () => (await owner('GET', `${device.path}/chats/${ANNA}`)).status === 200);
    await owner('POST', `${device.path}/chats/${ANNA}/assign`, { agent_id: budi.id });
    const hers = (method: string, rest: string, body?: unknown) => gateway.during(dewi.api(method, `${device.path}/labels${rest}`, body));
    assert.equal((await hers('GET', '')).body.labels.length, 2);
    assert.deepEqual(phones(await hers('GET', '/1/chats')), [BEN]);
    for (const [method, rest, body] of [
      ['POST', '', { name: 'x' }],
      ['PATCH', '/1', { name: 'x' }],
      ['DELETE', '/1', undefined],
      ['PUT', `/1/chats/${BEN}`, undefined],
      ['DELETE', `/1/chats/${BEN}`, undefined],
    ] as const)
      assert.equal((await hers(method, rest, body)).status, 403, `${method} ${rest}`);

    await ask('DELETE', `/1/chats/${ANNA}`);
    await ask('DELETE', '/2');
    const api = (await gateway.crash()).as(tenant.tokens.token);
    const told = await gateway.until('every event', async () => {
      const pulled = (await api('GET', '/v1/events/pull?limit=200')).body.events as readonly Told[];
      const found = pulled.filter(({ type }) => type.startsWith('label.'));
      return found.length >= 7 && found;
    });
    assert.deepEqual(
      told.map(({ type, data }) => [type, data.label?.name ?? data.chat?.phone ?? data.label_id]),
      [
        ['label.updated', 'New customer'],
        ['label.updated', 'Paid'],
        ['label.updated', 'New'],
        ['label.assigned', ANNA],
        ['label.assigned', BEN],
        ['label.unassigned', ANNA],
        ['label.deleted', '2'],
      ],
    );
  });
});

interface Told {
  readonly type: string;
  readonly data: { readonly label?: { readonly name: string }; readonly label_id?: string; readonly chat?: { readonly phone: string } };
}
