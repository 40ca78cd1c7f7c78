import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachStore } from '../../../support/stores.ts';
import { aRealGateway } from './gateway.ts';
import { trustFilesOf } from './trusting.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';
const LIST = { kind: 'document', bytes: Buffer.from('the prices of this year'), contentType: 'text/plain', caption: 'prices' } as const;

eachStore('a file that is unavailable when its message arrives', (kind) => {
  it('does not block the message or disconnect the device, and is downloaded later on request', async (t) => {
    const gateway = await aRealGateway(t, kind);
    const { peer, until } = gateway;
    trustFilesOf(peer, t);
    const api = gateway.as(await gateway.signUp(OWNER));
    const path = await gateway.linked(api, SHOP);
    const logins = () => peer.journal.events('logged-in').length;
    const before = logins();
    peer.media.refuseDownloads(503);
    await peer.contact(ANNA).sendsFile(SHOP, LIST);
    await peer.contact(ANNA).writes(SHOP, 'Do you have it?');
    const entry = async (body: string) =>
      (await api('GET', `${path}/messages?direction=inbound`)).body.messages.find((one: { body: string }) => one.body === body);
    await until('what was written after it is there', () => entry('Do you have it?'));
    const { id } = await until('the message is there', () => entry('prices'));
    const message = async () => (await api('GET', `${path}/messages/${id}`)).body;
    assert.deepEqual([(await message()).error, (await message()).media_r2_key], ['media_not_fetched', null]);
    assert.equal((await api('GET', `${path}/messages/${id}/media`)).status, 503);

    peer.media.refuseDownloads(null);
    const answer = await api('GET', `${path}/messages/${id}/media`);
    assert.deepEqual([answer.status, answer.body], [200, 'the prices of this year']);
    assert.equal((await message()).error, null);
    assert.equal(logins() - before, 0, 'its device stayed online');
  });

  it('does not hold back the message or disconnect the device, even if it cannot be decrypted', async (t) => {
    const gateway = await aRealGateway(t, kind);
    const { peer, until } = gateway;
    trustFilesOf(peer, t);
    const api = gateway.as(await gateway.signUp(OWNER));
    const path = await gateway.linked(api, SHOP);
    await peer.contact(ANNA).sendsFile(SHOP, { ...LIST, isSpoilt: true });
    const [{ id }] = await until('the message is there', async () => {
      const { messages } = (await api('GET', `${path}/messages?direction=inbound`)).body;
      return messages.length > 0 && messages;
    });
    assert.equal((await api('GET', `${path}/messages/${id}`)).body.error, 'media_not_fetched');
    assert.equal((await api('GET', path)).body.status, 'connected');
  });
});
