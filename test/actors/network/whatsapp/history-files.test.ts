import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Api } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aRealGateway } from './gateway.ts';
import { trustFilesOf } from './trusting.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';
const LONG_AGO = Date.UTC(2026, 0, 1);
const LIST = { kind: 'document', bytes: Buffer.from('the prices of last year'), contentType: 'text/plain', name: 'prices.txt' } as const;

async function entryOf(api: Api, path: string, body: string): Promise<string> {
  const { messages } = (await api('GET', `${path}/messages`)).body;
  return messages.find((one: { body: string }) => one.body === body).id;
}

eachStore('a file from before the phone was linked', (kind) => {
  it('is downloaded once on request and kept, or stays unavailable if the network no longer has it', async (t) => {
    const gateway = await aRealGateway(t, kind, { history: 10 });
    const { peer, until } = gateway;
    trustFilesOf(peer, t);
    const api = gateway.as(await gateway.signUp(OWNER));
    const at = (minute: number) => LONG_AGO + minute * 60_000;
    peer.phone(SHOP).remembers(ANNA, [
      { text: 'never asked for in time', isOurs: false, at: at(0), file: LIST },
      { text: 'hers', isOurs: false, at: at(1), file: LIST },
      { text: 'ours', isOurs: true, at: at(2), file: { ...LIST, bytes: Buffer.from('the prices of this year') } },
    ]);
    const path = await gateway.linked(api, SHOP);
    await until('its chat is there', async () => (await api('GET', `${path}/chats/${ANNA}`)).body.last_message === 'ours');
    const [hers, ours, late] = await Promise.all(['hers', 'ours', 'never asked for in time'].map((body) => entryOf(api, path, body)));
    const entry = async (id: string) => (await api('GET', `${path}/messages/${id}`)).body;
    const media = (id: string) => api('GET', `${path}/messages/${id}/media`);
    assert.deepEqual([(await entry(hers!)).media_r2_key, (await entry(hers!)).error], [null, 'media_not_fetched']);
    assert.equal(peer.journal.events('downloaded').length, 0, 'nothing is fetched unasked');

    const [one, other] = await Promise.all([media(hers!), media(hers!)]);
    assert.deepEqual([one.status, one.body, other.body], [200, 'the prices of last year', 'the prices of last year']);
    assert.match(one.headers.get('content-disposition') ?? '', /prices\.txt/);
    assert.equal((await media(ours!)).body, 'the prices of this year');
    const { media_r2_key, error } = await entry(hers!);
    assert.deepEqual([typeof media_r2_key, error], ['string', null]);

    peer.media.forgetAll();
    assert.equal((await media(hers!)).body, 'the prices of last year', 'it is ours now');
    for (let times = 0; times < 2; times += 1) assert.deepEqual([(await media(late!)).status], [404]);
    assert.equal((await entry(late!)).error, 'media_gone');
    assert.equal(peer.journal.events('downloaded').length, 3, 'each was asked for once');
  });

  it('can be downloaded later if the device was offline at the first request', async (t) => {
    const gateway = await aRealGateway(t, kind, { history: 10 });
    const { peer, until } = gateway;
    trustFilesOf(peer, t);
    const api = gateway.as(await gateway.signUp(OWNER));
    peer.phone(SHOP).remembers(ANNA, [{ text: 'hers', isOurs: false, at: LONG_AGO, file: LIST }]);
    const path = await gateway.linked(api, SHOP);
    await until('its chat is there', async () => (await api('GET', `${path}/chats/${ANNA}`)).body.last_message === 'hers');
    const id = await entryOf(api, path, 'hers');
    await api('POST', `${path}/disconnect`);
    const refused = await api('GET', `${path}/messages/${id}/media`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'NOT_CONNECTED']);
    await api('POST', `${path}/connect`);
    await until('it is online', async () => (await api('GET', path)).body.status === 'connected');
    assert.equal((await api('GET', `${path}/messages/${id}/media`)).body, 'the prices of last year');
  });
});
