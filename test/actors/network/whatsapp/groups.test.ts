import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Answer } from '../../../support/gateway.ts';
import { eachStore, embedded, type StoreKind } from '../../../support/stores.ts';
import { aRealGateway } from './gateway.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const OTHER = '6281100000077';
const ANNA = '6281100000002';

async function aShop(t: TestContext, kind: StoreKind) {
  const gateway = await aRealGateway(t, kind);
  const { clock, peer, until } = gateway;
  const api = gateway.as(await gateway.signUp(OWNER));
  await api('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0, typing: false } });
  const path = await gateway.linked(api, SHOP);
  const status = async (): Promise<string> => (await api('GET', path)).body.status;
  const begin = (method: string, rest: string, body?: unknown) => watched(api(method, `${path}/${rest}`, body));
  return {
    ...{ gateway, peer, begin, until },
    async ask(method: string, rest: string, body?: unknown): Promise<Answer> {
      const asked = begin(method, rest, body);
      while (!asked.isOver()) await clock.advance(25);
      return asked.answer;
    },
    /** The phone takes the device from its list, and somebody links it again with their own. */
    async relinks(from: string, to: string): Promise<void> {
      peer.phone(from).unlinks();
      await until('it is logged out', async () => (await status()) === 'failed');
      await api('POST', `${path}/connect`);
      await peer.phone(to).scans(await until('a code to scan', async () => (await api('GET', `${path}/qr`)).body.qr));
      await until('it is online', async () => (await status()) === 'connected');
    },
  };
}

function watched(answer: Promise<Answer>) {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  answer.then(over, over);
  return { answer, isOver: () => isOver };
}

it('a message is sent after login without waiting for the list of 500 groups', async (t) => {
  const { peer, begin, ask, until } = await aShop(t, embedded);
  for (let nth = 0; nth < 500; nth += 1) peer.group([SHOP, ANNA], { subject: `group ${nth}` });
  const isList = ({ content }: { readonly content?: unknown }) => Array.isArray(content) && content[0]?.tag === 'groups';
  const answer = peer.fault({ kind: 'reorder', way: 'down', tag: 'iq', phone: SHOP, where: isList });
  await until('the list is held back', () => peer.journal.entries.some((one) => one.kind === 'stanza' && one.fate === 'held'));
  const list = begin('GET', 'groups');
  const { id } = (await ask('POST', 'messages', { chat_id: ANNA, type: 'text', body: 'Hello' })).body;
  await until('it is sent', async () => ['sent', 'delivered', 'read'].includes((await ask('GET', `messages/${id}`)).body.status));
  assert.equal(list.isOver(), false);
  answer();
  await until('the list is there', list.isOver);
  assert.equal((await list.answer).body.groups.length, 500);
});

eachStore('a device that is linked again', (kind) => {
  it('keeps its groups and channels if the number is the same, and deletes them otherwise', async (t) => {
    const { gateway, peer, ask, relinks } = await aShop(t, kind);
    const rows = gateway.store.collection<{ _id: string; read_at: number }>({ name: 'groups', indexes: [] });
    const shown = async () => [
      ...(await ask('GET', 'groups')).body.groups.map(({ subject }: { subject: string }) => subject),
      ...(await ask('GET', 'channels')).body.channels.map(({ name }: { name: string }) => name),
    ];
    await ask('POST', 'groups', { subject: 'Family', participants: [ANNA] });
    const channel = (await ask('POST', 'channels', { name: 'News' })).body.id;
    assert.deepEqual(await shown(), ['Family', 'News']);
    const kept = await rows.find({}).toArray();

    await relinks(SHOP, SHOP);
    assert.deepEqual(await rows.find({}).toArray(), kept, 'nothing is forgotten of the same number');
    assert.deepEqual(await shown(), ['Family', 'News']);

    await relinks(SHOP, OTHER);
    assert.deepEqual(await shown(), []);
    assert.deepEqual(await rows.find({}).toArray(), []);
    const post = await ask('POST', 'messages', { chat_id: channel, type: 'text', body: 'Hello' });
    assert.deepEqual([post.status, post.body.code], [403, 'FORBIDDEN']);
    peer.group([OTHER, ANNA], { subject: 'Of the other number' });
    assert.equal((await ask('GET', `groups/${kept[0]?._id.split(':').at(-1)}`)).status, 403);
  });
});
