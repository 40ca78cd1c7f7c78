import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, type Answer, aGateway, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';

const OTHER = '6281100000077';

type Fields = Readonly<Record<string, unknown>>;

eachStore('a device linked to another number', (kind) => {
  it("does not list or post to the previous number's groups and channels", async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const { path, status } = await linked(PHONE);
    const ask = (method: string, rest: string, body?: unknown): Promise<Answer> => gateway.during(api(method, `${path}/${rest}`, body));
    const subjects = async () => (await ask('GET', 'groups')).body.groups.map(({ subject }: Fields) => subject);
    await ask('POST', 'groups', { subject: 'Former', participants: [ANNA] });
    const channel = (await ask('POST', 'channels', { name: 'News' })).body.id;
    assert.deepEqual(await subjects(), ['Former']);
    assert.equal((await ask('GET', 'channels')).body.channels.length, 1);
    const post = { chat_id: channel, type: 'text', body: 'Hello' };
    assert.equal((await ask('POST', 'messages', post)).status, 202);

    await api('POST', `${path}/logout`);
    await gateway.until('it is logged out', async () => (await status()) === 'failed');
    await api('POST', `${path}/connect`);
    const qr = await gateway.until('a code to scan', async () => (await api('GET', `${path}/qr`)).body.qr);
    gateway.sandbox.phone(OTHER).scan({ qr });
    await gateway.until('it is online', async () => (await status()) === 'connected');

    assert.deepEqual(await subjects(), [], 'also within the minute of the last list');
    assert.deepEqual((await ask('GET', 'channels')).body.channels, []);
    const refused = await ask('POST', 'messages', post);
    assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);
    gateway.sandbox.phone(ANNA).act({ act: 'create_group', subject: 'Of the other number', participants: [OTHER] });
    await gateway.until('it is told', async () => (await subjects()).length === 1);
    const rows = await gateway.store.collection<{ _id: string; subject: string }>({ name: 'groups', indexes: [] }).find({}).toArray();
    assert.deepEqual(
      rows.map(({ subject }) => subject),
      ['Of the other number'],
      'nothing of the former number stays in the store',
    );
  });
});
