import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../../../support/gateway.ts';
import { NEVER_FULL } from '../../../support/limits.ts';
import { eachStore } from '../../../support/stores.ts';
import { hired } from '../agents/agents-fixture.ts';
import { inboxOf } from './conversations-fixture.ts';

/** Every way of narrowing the inbox, each with a value that Anna's chat has. */
const NARROWED = ['status=open', 'agent_id=none', 'unread=true', 'pinned=false', 'archived=false', 'q=hello'];

/** Each alone, and each two together. */
const choicesOf = (parts: readonly string[]): readonly string[] =>
  parts.flatMap((one, nth) => [one, ...parts.slice(nth + 1).map((other) => `${one}&${other}`)]);

eachStore('a filtered inbox', (kind) => {
  it('shows a chat that matches all filters at once, to the owner, an agent and a device key', async (t) => {
    const gateway = await aGateway(t, { kind, limits: NEVER_FULL });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const dewi = await hired(gateway, acme.api, 'Dewi', '6281311110001');
    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'Shop', session_ids: [device.id] })).body;
    const { write, receives } = inboxOf(gateway, acme.api, device.path);
    write(ANNA, 'Hello');
    await receives(ANNA, 'Hello');
    const everybody = [acme.api, dewi.api, gateway.as(key)];
    const finds = async (filters: string, count: number) => {
      for (const api of everybody) {
        const { status, body } = await api('GET', `/v1/inbox?${filters}`);
        assert.deepEqual([filters, status, body.chats?.length], [filters, 200, count]);
      }
    };
    for (const filters of choicesOf([...NARROWED, `session_id=${device.id}`])) await finds(filters, 1);
    await acme.api('POST', `${device.path}/chats/${ANNA}/assign`, { agent_id: dewi.id });
    for (const filters of choicesOf([`agent_id=${dewi.id}`, `session_id=${device.id}`, 'unread=true'])) await finds(filters, 1);
    await finds(`session_id=${dewi.id}`, 0);
  });
});
