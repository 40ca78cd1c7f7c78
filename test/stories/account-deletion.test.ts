import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { it } from 'node:test';
import { OPERATOR_LOG } from '../../store/audit/entry.ts';
import { OWNED_COLLECTIONS } from '../../store/privacy/belongings.ts';
import { listen } from '../actors/services/live/listener.ts';
import { DORA, lived, remembering } from '../actors/services/privacy/erasure-fixture.ts';
import { aReceiver } from '../actors/services/webhooks/receiver.ts';
import { aGateway, codeOn } from '../support/gateway.ts';
import { aDirectory, eachStore } from '../support/stores.ts';

/** They belong to no tenant, expire by themselves within a day, or are removed by steps of their own. */
const OTHERS = new Set(
  [
    'tenants audit audit_anchors audit_heads audit_intents account_deletions checkpoints sealed_samples sealed_collections push_keys invoice_numbers',
    'network_unknown client_builds invoice_payments sandbox_payments operator_sessions sign_ups one_time_codes code_failures login_challenges passkey_challenges passkey_ceremonies',
    'phone_claims event_tickets upload_links promised_uploads push_turns media_directory official_prices',
  ].flatMap((line) => line.split(' ')),
);
/** Their text is gone, and an invoice with a number is the operator's. */
const MAY_NAME = new Set(['account_deletions', 'audit', 'invoices', ...OTHERS]);

const filesIn = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(`${directory}/${name}`).isFile());

eachStore('an account deletion', (kind) => {
  it("ends logins and keys immediately, can be cancelled, and otherwise removes all of the tenant's data", async (t) => {
    const receiver = await aReceiver(t);
    const remembered = remembering(kind);
    const data_dir = aDirectory(t);
    const gateway = await aGateway(t, { kind: remembered.kind, config: { egress_allow: [receiver.place], data_dir } });
    const { tenant, api, device } = await lived(gateway, receiver.url);
    const unknown = [...remembered.opened.keys()].filter((name) => !OWNED_COLLECTIONS.includes(name) && !OTHERS.has(name));
    assert.deepEqual(unknown, [], 'a collection of which nobody said whose it is');
    const { key } = (await api('POST', '/v1/api-keys', { name: 'shop' })).body;
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    await globex.api('POST', '/v1/contacts', { phone: '+6281277770007', name: 'Hers' });
    const end = (confirm = true) => gateway.during(api('DELETE', '/v1/account', { confirm }));

    assert.equal((await end(false)).body.code, 'CONFIRMATION_REQUIRED');
    const until = gateway.clock.now() + 3_600_000;
    await api('PUT', '/v1/privacy/hold', { reason: 'an audit', until });
    assert.equal((await end()).status, 409);
    await api('DELETE', '/v1/privacy/hold');
    await api('PUT', `/v1/privacy/holds/+${DORA}`, { reason: 'a claim', until });
    const refused = await end();
    assert.equal(refused.status, 409, "one person's hold as well");
    assert.match(refused.body.error, new RegExp(new Date(until).toISOString()));
    await api('DELETE', `/v1/privacy/holds/+${DORA}`);

    const order = { filename: 'late.txt', content_type: 'text/plain', size: 4 };
    const { url } = (await api('POST', '/v1/media/upload-url', order)).body;
    const upload = async () => (await fetch(url, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: 'late' })).status;
    const stream = await listen(gateway.node.url, api);
    const begun = await end();
    assert.equal(begun.status, 202, JSON.stringify(begun.body));
    assert.equal((await api('GET', '/v1/me')).status, 401);
    assert.equal((await gateway.as(key)('GET', '/v1/contacts')).status, 401);
    assert.equal(await upload(), 403, 'an upload address dies with its tenant');
    assert.equal((await gateway.api('POST', '/auth/refresh', { refresh_token: tenant.tokens.refresh_token })).status, 401);
    await gateway.until('the stream is closed', () => stream.isClosed);
    await gateway.until('the device is logged out', async () => {
      const row = await gateway.store
        .collection<{ _id: string; reason?: string }>({ name: 'devices', indexes: [] })
        .findOne({ _id: device.id });
      return row?.reason === 'logged_out';
    });

    // Taken back within the half hour: everything is there.
    const again = await signedIn(gateway, tenant.phone);
    assert.deepEqual((await again('GET', '/v1/account')).body.deletion, begun.body);
    // Until then nothing else is theirs.
    assert.equal((await again('GET', '/v1/me')).status, 200);
    for (const [method, path, body] of [
      ['GET', '/v1/contacts'],
      ['POST', '/v1/contacts', { phone: '+6281277770008' }],
      ['POST', '/v1/api-keys', { name: 'late' }],
      ['POST', '/v1/privacy/exports', {}],
      ['POST', '/v1/events-ticket', {}],
      ['DELETE', '/v1/account', { confirm: true }],
    ] as const) {
      const answer = await again(method, path, body);
      assert.deepEqual([answer.status, answer.body.code], [403, 'FORBIDDEN'], path);
      assert.match(answer.body.error, /restore/);
    }
    assert.equal((await again('POST', '/v1/account/restore')).status, 200);
    assert.equal((await again('POST', '/v1/account/restore')).status, 404);
    await gateway.clock.advance(2 * 60_000);
    assert.ok((await again('GET', `${device.path}/messages`)).body.messages.length > 3);

    assert.equal((await gateway.during(again('DELETE', '/v1/account', { confirm: true }))).status, 202);
    const deletions = gateway.store.collection<{ _id: string; done_at: number | null; effective_at: number }>({
      name: 'account_deletions',
      indexes: [],
    });
    await gateway.clock.advance(28 * 60_000);
    assert.equal((await deletions.findOne({ _id: tenant.id }))?.done_at, null);
    await gateway.until('it is done', async () => (await deletions.findOne({ _id: tenant.id }))?.done_at != null);
    const done = await deletions.findOne({ _id: tenant.id });
    assert.ok((done?.done_at ?? 0) - (done?.effective_at ?? 0) < 30 * 60_000, 'within the hour');

    const left: Record<string, number> = {};
    for (const [name, collection] of remembered.opened) {
      const rows = (await collection.find({}).toArray()).filter((row) => JSON.stringify(row).includes(tenant.id));
      if (rows.length > 0 && !MAY_NAME.has(name)) left[name] = rows.length;
    }
    assert.deepEqual(left, {});
    assert.deepEqual(
      filesIn(`${data_dir}/media`).filter((name) => name.includes(tenant.id)),
      [],
    );
    assert.equal((await globex.api('GET', '/v1/contacts')).body.contacts.length, 1, "another's stay");
    const log = gateway.store.collection<{ _id: string; tenant_id: string; target_id: string }>({ name: 'audit', indexes: [] });
    assert.equal(await log.countDocuments({ tenant_id: tenant.id }), 0);
    assert.equal(await gateway.store.collection({ name: 'audit_heads', indexes: [] }).countDocuments({ _id: tenant.id }), 0);
    assert.equal(await log.countDocuments({ tenant_id: OPERATOR_LOG, action: 'account.deleted', target_id: tenant.id }), 1);
    // The number is free again.
    const anew = await gateway.signUp('Acme again', `+${tenant.phone}`);
    assert.notEqual(anew.id, tenant.id);
    assert.deepEqual((await anew.api('GET', '/v1/sessions')).body.sessions, []);
  });
});

/** A login of the owner, with the code that their phone shows. */
async function signedIn(gateway: Awaited<ReturnType<typeof aGateway>>, phone: string) {
  const received = () => gateway.sandbox.phone(phone).messages(200).length;
  const before = received();
  await gateway.api('POST', '/auth/request-otp', { phone: `+${phone}` });
  await gateway.until('the code is there', () => received() > before);
  const code = codeOn(gateway.sandbox, phone);
  const { body } = await gateway.api('POST', '/auth/verify-otp', { phone: `+${phone}`, code });
  return gateway.as(body.token);
}
