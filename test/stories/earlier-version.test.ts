/**
 * Opens data of commit 923055fa (27 November): the data directory of a node, and a dump of its MongoDB. Both hold a
 * business with a linked device, contacts, consent, messages in both directions, a webhook, a rule for replies, a
 * scheduled message and a finished campaign. This gateway continues with the data where that one stopped.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { BSON, MongoClient } from 'mongodb';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../store/engines/mongo/mongo.ts';
import { ANNA, aGateway, codeOn, PHONE } from '../support/gateway.ts';
import { aDatabase, aDirectory, realStores, type Scope, type StoreKind } from '../support/stores.ts';

const PLACE = join(import.meta.dirname, 'earlier-version');
const KNOWN = JSON.parse(readFileSync(join(PLACE, 'known.json'), 'utf8'));
const OWNER = '6281100009999';
const BUDI = '6281211110002';

const unpacked = (name: string): Buffer => brotliDecompressSync(readFileSync(join(PLACE, `${name}.br`)));

/** Each kind of store with the earlier data. `directory`: the data directory of the node. */
const WITH_DATA: Readonly<Record<StoreKind['name'], (directory: string) => StoreKind['fresh']>> = {
  embedded: (directory) => async (scope) => {
    const path = join(directory, 'gateway.db');
    writeFileSync(path, unpacked('gateway.db'));
    const store = openEmbedded({ path, log: { warn: () => {} } });
    scope.after(() => store.close());
    return store;
  },
  mongodb: () => async (scope) => {
    const url = aDatabase(scope);
    const client = await MongoClient.connect(url);
    for (const [name, rows] of Object.entries<BSON.Document[]>(BSON.EJSON.parse(String(unpacked('mongodb.json')), { relaxed: false })))
      await client.db().collection(name).insertMany(rows);
    await client.close();
    const store = await openMongo({ url });
    scope.after(() => store.close());
    return store;
  },
};

async function theEarlierGateway(t: TestContext, name: StoreKind['name']) {
  const known = KNOWN[name];
  const directory = aDirectory(t);
  mkdirSync(join(directory, 'media'));
  if (known.media_mark) writeFileSync(join(directory, 'media', known.media_mark), '');
  for (const secret of ['admin', 'jwt']) writeFileSync(join(directory, `${secret}-secret`), known[`${secret}_secret`]);
  const fresh: (scope: Scope) => ReturnType<StoreKind['fresh']> = WITH_DATA[name](directory);
  const gateway = await aGateway(t, { kind: { name, fresh }, directory, startsAt: known.ended_at });
  return { gateway, known, api: gateway.as(known.api_key), path: `/v1/sessions/${known.session}` };
}

describe('data from an earlier version', () => {
  for (const { name } of realStores)
    it(`can be read and used (${name})`, async (t) => {
      const { gateway, known, api, path } = await theEarlierGateway(t, name);
      const read = async (address: string) => (await api('GET', address)).body;
      await gateway.until('the device is online', async () => (await read(path)).status === 'connected');

      const { messages } = await read(`${path}/messages`);
      assert.deepEqual(messages.map(({ body }: { body: string }) => body).toSorted(), [
        'Hello Anna, your order is ready.',
        'Sale today',
        'Sale today',
        'Thank you! I come at five.',
      ]);
      assert.equal((await read(`${path}/messages/${known.sent}`)).status, 'read');
      const { contacts } = await read('/v1/contacts');
      assert.deepEqual(contacts.map(({ name: called, tags }: { name: string; tags: string[] }) => [called, tags]).toSorted(), [
        ['Anna Lee', ['vip']],
        ['Budi', []],
      ]);
      assert.equal((await read('/v1/consent')).summary.opted_out, 1);
      const { status, sent_count, skipped_count } = await read(`/v1/blasts/${known.blast}`);
      assert.deepEqual({ status, sent_count, skipped_count }, { status: 'completed', sent_count: 2, skipped_count: 1 });
      assert.equal((await read(`${path}/scheduled`)).scheduled[0].id, known.scheduled);
      assert.equal((await read('/v1/webhooks')).webhooks[0].id, known.webhook);

      const sent = (await api('POST', `${path}/messages`, { chat_id: `+${BUDI}`, type: 'text', body: 'Welcome back' })).body.id;
      await gateway.until('Budi has it', async () => (await read(`${path}/messages/${sent}`)).status === 'read');
      gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'What is the price?' } });
      await gateway.until('the rule replies', () =>
        gateway.sandbox
          .phone(ANNA)
          .messages(50)
          .some(({ content }) => content.type === 'text' && content.body === 'It costs 5.'),
      );

      await gateway.during(gateway.api('POST', '/auth/request-otp', { phone: `+${OWNER}` }));
      const code = codeOn(gateway.sandbox, OWNER);
      const { token } = (await gateway.api('POST', '/auth/verify-otp', { phone: `+${OWNER}`, code })).body;
      assert.equal((await gateway.as(token)('GET', '/v1/audit/verify')).body.ok, true);
    });
});
