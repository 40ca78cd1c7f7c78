import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import { userJid } from '../../actors/network/jid.ts';
import { replacingStore } from '../../scripts/faults/replacing-store.ts';
import { mediaSpec } from '../../store/media/media.ts';
import type { Doc } from '../../store/port.ts';
import { DORA, lived, remembering } from '../actors/services/privacy/erasure-fixture.ts';
import { aReceiver } from '../actors/services/webhooks/receiver.ts';
import { aGateway, type Gateway, type Tenant } from '../support/gateway.ts';
import { eachStore, type StoreKind } from '../support/stores.ts';

type Files = Readonly<Record<string, Uint8Array>>;

const WEEK_MS = 7 * 86_400_000;

/** Asks for an export, waits for it and downloads it, as the owner does. */
async function exported(
  gateway: Gateway,
  { api, tokens }: Pick<Tenant, 'api' | 'tokens'>,
  body: object,
): Promise<{ id: string; files: Files }> {
  const asked = await api('POST', '/v1/privacy/exports', body);
  assert.equal(asked.status, 202, JSON.stringify(asked.body));
  const path = `/v1/privacy/exports/${asked.body.id}`;
  await gateway.until('the export is done', async () => (await api('GET', path)).body.status === 'done');
  assert.equal((await api('GET', path)).body.progress, 1);
  const answer = await fetch(`${gateway.node.url}${path}/download`, { headers: { authorization: `Bearer ${tokens.token}` } });
  assert.equal(answer.headers.get('content-type'), 'application/zip');
  const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
  const manifest = jsonOf(files, 'manifest.json');
  assert.deepEqual(
    manifest.files.map(({ name }: { name: string }) => name).sort(),
    Object.keys(files)
      .filter((name) => name !== 'manifest.json')
      .sort(),
  );
  for (const { name, size, sha256 } of manifest.files) {
    const bytes = files[name] ?? new Uint8Array();
    assert.equal(bytes.length, size, name);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256, name);
  }
  return { id: asked.body.id, files };
}

const textOf = (files: Files, name: string): string => strFromU8(files[name] ?? assert.fail(`no ${name}`));
const jsonOf = (files: Files, name: string) => JSON.parse(textOf(files, name));
const everything = (files: Files): string =>
  Object.values(files)
    .map((bytes) => strFromU8(bytes))
    .join('\n');

eachStore('a privacy export', (kind) => {
  it("needs a single query to read all of a person's files", async (t) => {
    let looks = 0;
    const counting: StoreKind = {
      name: kind.name,
      fresh: async (scope) =>
        replacingStore(await kind.fresh(scope), (name, raw) => ({
          ...(name === mediaSpec.name && {
            find: (filter, options) => {
              if ('chat_id' in filter) looks += 1;
              return raw.find(filter, options);
            },
          }),
        })),
    };
    const gateway = await aGateway(t, { kind: counting });
    const tenant = await gateway.signUp();
    const created_at = gateway.clock.now();
    const file = {
      tenant_id: tenant.id,
      chat_id: userJid(DORA),
      filename: 'a.txt',
      content_type: 'text/plain',
      size: 1,
      sha256: '',
      created_at,
    };
    const rows = Array.from({ length: 45 }, (_, nth) => ({ ...file, _id: `file${String(nth).padStart(3, '0')}`, blob: `gone${nth}` }));
    await gateway.store.collection<Doc>(mediaSpec).insertMany(rows);
    const { files } = await exported(gateway, tenant, { phone: `+${DORA}` });
    const described = ['media.json', 'media-2.json', 'media-3.json'].flatMap((name) => jsonOf(files, name));
    assert.deepEqual(
      described.map(({ key }: { key: string }) => key),
      rows.map(({ _id }) => _id),
    );
    assert.equal(looks, 1);
  });

  it('contains all data about a person or business, including contacts that can be imported', async (t) => {
    const receiver = await aReceiver(t);
    const store = remembering(kind);
    const gateway = await aGateway(t, { kind: store.kind, config: { egress_allow: [receiver.place] } });
    const { tenant, api, device } = await lived(gateway, receiver.url);
    const tags = { phone: '+6281277770007', name: '=Evil, "quoted"', tags: ['vip'], attrs: { city: 'Solo' } };
    assert.equal((await api('POST', '/v1/contacts', tags)).status, 201);

    const whole = await exported(gateway, tenant, {});
    const { counts } = jsonOf(whole.files, 'manifest.json');
    const { messages } = (await api('GET', `${device.path}/messages?limit=200`)).body;
    assert.equal(counts.messages, messages.length);
    assert.equal(counts.contacts, 2);
    assert.deepEqual(
      jsonOf(whole.files, 'messages.json')
        .map(({ id }: { id: string }) => id)
        .sort(),
      messages.map(({ id }: { id: string }) => id).sort(),
    );
    const [file] = jsonOf(whole.files, 'media.json');
    assert.deepEqual([file.filename, textOf(whole.files, file.name)], ['dora.txt', 'Dora']);
    assert.equal(jsonOf(whole.files, 'account.json')[0].name, 'Acme');
    // No secret of the tenant, its devices, keys or webhooks.
    const words = everything(whole.files);
    for (const secret of ['a secret that only the two of us know', 'creds', '"secret"', '"hash"', '"credentials"'])
      assert.ok(!words.includes(secret), secret);

    const hers = await exported(gateway, tenant, { phone: `+${DORA}` });
    assert.deepEqual(
      jsonOf(hers.files, 'contacts.json').map(({ name }: { name: string }) => name),
      ['Dora'],
    );
    assert.ok(textOf(hers.files, 'messages.json').includes('my secret question about pangolins'));
    assert.ok(!everything(hers.files).includes('6281255550005'), 'nothing of others');
    assert.equal(jsonOf(hers.files, 'consent.json')[0].status, 'opted_in');

    // Another business takes the contacts as they were.
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    assert.equal((await globex.api('GET', `/v1/privacy/exports/${whole.id}`)).status, 404);
    const imported = await gateway.during(
      fetch(`${gateway.node.url}/v1/contacts/import`, {
        method: 'POST',
        headers: { authorization: `Bearer ${globex.tokens.token}`, 'content-type': 'text/csv' },
        body: textOf(whole.files, 'contacts.csv'),
      }).then(async (answer): Promise<{ id: string }> => JSON.parse(await answer.text())),
    );
    const done = await gateway.until('the import is over', async () => {
      const { body } = await globex.api('GET', `/v1/contacts/imports/${imported.id}`);
      return body.status === 'done' && body;
    });
    assert.deepEqual([done.created, done.invalid], [2, 0]);
    const again = (await globex.api('GET', '/v1/contacts?q=6281277770007')).body.contacts[0];
    assert.deepEqual([again.name, again.tags, again.attrs], [tags.name, ['vip'], { city: 'Solo' }]);

    const { entries } = (await api('GET', '/v1/audit')).body;
    const actions = entries.map(({ action }: { action: string }) => action);
    assert.ok(actions.includes('privacy.export') && actions.includes('privacy.download'));

    // An export is removed after a week, or immediately by an erasure.
    assert.equal((await api('POST', '/v1/privacy/erasures', { phone: `+${DORA}`, confirm: true })).status, 202);
    await gateway.until('the exports are gone', async () => (await api('GET', '/v1/privacy/exports')).body.exports.length === 0);
    assert.equal((await globex.api('POST', '/v1/privacy/exports', {})).status, 202);
    const rows = gateway.store.collection({ name: 'privacy_export_files', indexes: [] });
    const other = await gateway.until("the other's is done", async () => {
      const [one] = (await globex.api('GET', '/v1/privacy/exports')).body.exports;
      return one.status === 'done' && one;
    });
    assert.equal(other.expires_at, other.done_at + WEEK_MS);
    assert.ok((await rows.countDocuments({})) > 0);
    const privacyRows = gateway.store.collection<{ _id: string; expires_at: number }>({ name: 'privacy_exports', indexes: [] });
    await privacyRows.updateMany({}, { $set: { expires_at: gateway.clock.now() } });
    for (const path of ['', '/download'])
      assert.equal((await globex.api('GET', `/v1/privacy/exports/${other.id}${path}`)).status, 404, 'its time is over');
    await gateway.until('it is over', async () => (await globex.api('GET', '/v1/privacy/exports')).body.exports.length === 0);
    await gateway.until('its files are gone', async () => (await rows.countDocuments({})) === 0);
  });
});
