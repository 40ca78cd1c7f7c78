import assert from 'node:assert/strict';
import { it } from 'node:test';
import { auditLogIn } from '../../store/audit/audit-log.ts';
import { OPERATOR_LOG } from '../../store/audit/entry.ts';
import { ANNA, aGateway, codeOn, type Gateway } from '../support/gateway.ts';
import { aLog } from '../support/log.ts';
import { eachStore } from '../support/stores.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a server answers has no type before it is asserted on
type Entry = any;

const DAY_MS = 86_400_000;

const entriesOf = async (api: Gateway['api'], query = ''): Promise<Entry[]> =>
  (await api('GET', `/v1/audit?limit=200${query}`)).body.entries;

eachStore('the audit log', (kind) => {
  it('shows the owner each action, who performed it, and how they signed in', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, id } = await gateway.signUp();
    const { body: key } = await api('POST', '/v1/api-keys', { name: 'shop', scopes: ['read', 'manage'] });
    await api('PATCH', `/v1/api-keys/${key.id}`, { name: 'web shop' });
    await gateway.as(key.key)('POST', '/v1/templates', { name: 'hello', message_type: 'text', body: 'Hi' }, { 'x-request-id': 'req-1' });

    const [template, renamed, made, login, ...more] = await entriesOf(api);

    assert.deepEqual(more, []);
    assert.deepEqual([login.action, login.actor, login.auth, login.seq], ['login.create', { kind: 'owner', id, name: 'Acme' }, 'otp', 1]);
    assert.deepEqual([made.action, made.target, made.result, made.seq], ['key.create', { kind: 'key', id: key.id }, 'ok', 2]);
    assert.deepEqual([renamed.action, renamed.changes], ['key.update', [{ field: 'name', from: 'shop', to: 'web shop' }]]);
    assert.deepEqual(
      [template.action, template.actor, template.auth, template.request_id],
      ['template.create', { kind: 'key', id: key.id, name: 'web shop' }, 'api_key', 'req-1'],
    );
    assert.match(template.address, /127\.0\.0\.1/);
  });

  it("does not contain secrets or customers' messages", async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const { body: hook } = await api('POST', '/v1/webhooks', {
      url: 'https://example.com/in',
      secret: 'a-secret-of-thirty-two-characters!',
      events: ['message.sent'],
    });
    await api('PATCH', `/v1/webhooks/${hook.id}`, { secret: 'another-secret-of-thirty-two-chars', events: ['message.failed'] });
    await api('PUT', '/v1/consent/+6281211110001', { status: 'opted_out', note: 'told us on the phone' });

    const text = JSON.stringify(await entriesOf(api));
    const [changed] = await entriesOf(api, '&action=webhook.update');
    const [consent] = await entriesOf(api, '&target=6281211110001');

    assert.deepEqual(
      changed.changes,
      [
        { field: 'events', from: ['message.sent'], to: ['message.failed'] },
        { field: 'retired', from: 'changed', to: 'changed' },
        { field: 'secret', from: 'changed', to: 'changed' },
      ].toSorted(
        (a, b) =>
          changed.changes.findIndex((c: Entry) => c.field === a.field) - changed.changes.findIndex((c: Entry) => c.field === b.field),
      ),
    );
    assert.deepEqual(consent.target, { kind: 'person', id: '6281211110001' });
    assert.doesNotMatch(text, /thirty|told us/);
  });

  it('records the rejected requests of known callers, and only counts them during a flood', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const { body: key } = await api('POST', '/v1/api-keys', { name: 'shop' });
    for (let nth = 0; nth < 14; nth += 1) await gateway.as(key.key)('POST', '/v1/api-keys', { name: 'another' });
    await gateway.clock.advance(61_000);
    await gateway.as(key.key)('POST', '/v1/api-keys', { name: 'another' });
    await api('POST', '/v1/api-keys', { name: '' });

    const refused = (await entriesOf(api)).filter(({ result }) => result === 'refused');

    assert.equal(refused.length, 11);
    assert.ok(refused.every(({ action, code }) => action === 'key.create' && code === 'KEY_MANAGEMENT_REQUIRES_LOGIN'));
    assert.deepEqual(refused[0].changes, [{ field: 'refused_before_and_not_listed', from: 0, to: 4 }]);
  });

  it('records a wrong code for the business that owns the phone number', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, phone } = await gateway.signUp();
    await gateway.during(gateway.api('POST', '/auth/request-otp', { phone: `+${phone}` }));
    await gateway.api('POST', '/auth/verify-otp', { phone: `+${phone}`, code: '000000' });
    const [entry] = await entriesOf(api);
    assert.deepEqual([entry.action, entry.result, entry.code], ['login.create', 'refused', 'UNAUTHORIZED']);
  });

  it("records an operator's actions both for the business and for the operators", async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, id } = await gateway.signUp();
    await gateway.operator('PATCH', `/v1/admin/tenants/${id}`, { plan: 'pro' });
    const known = await entriesOf(api);
    const { entries } = (await gateway.operator('GET', '/v1/admin/audit')).body;
    const seen = known.find(({ action }: { action: string }) => action === 'tenant.update');
    assert.deepEqual([seen.actor.kind, seen.result, seen.target.id], ['operator', 'ok', id]);
    assert.deepEqual(seen.changes, [{ field: 'plan', from: 'free', to: 'pro' }]);
    await gateway.operator('PATCH', `/v1/admin/tenants/${id}`, { suspended: true, plan: 'pro' });
    const [suspension] = (await gateway.operator('GET', '/v1/admin/audit?action=tenant.update')).body.entries;
    assert.deepEqual(suspension.changes, [{ field: 'suspended', from: false, to: true }]);
    const { actor, changes } = known.find(({ action }: { action: string }) => action === 'plan.change');
    assert.deepEqual([actor.kind, changes], ['system', [{ field: 'plan', from: 'free', to: 'pro' }]]);
    assert.equal(entries[0].id, seen.id);
    assert.equal((await gateway.api('GET', '/v1/admin/audit', undefined, { 'x-admin-secret': 'guess' })).status, 401);
    const [guess] = (await gateway.operator('GET', '/v1/admin/audit')).body.entries;
    assert.deepEqual([guess.action, guess.result], ['operator.sign_in', 'refused']);
  });

  it('records one entry for each change to a device or a campaign', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const device = await linked('6281100000001');
    const { body: blast } = await api('POST', '/v1/blasts', {
      session_id: device.id,
      name: 'news',
      message_type: 'text',
      body: 'Hi',
      recipients: [{ phone: '+6281211110001' }],
    });
    await gateway.during(api('POST', `/v1/blasts/${blast.id}/start`, {}));
    await gateway.during(api('POST', `/v1/blasts/${blast.id}/cancel`));
    await api('DELETE', `/v1/blasts/${blast.id}`);
    await gateway.during(api('DELETE', device.path));

    const actions = (await entriesOf(api)).map(({ action, target }) => `${action} ${target.id}`);

    assert.deepEqual(actions.slice(0, -1), [
      `device.delete ${device.id}`,
      `blast.delete ${blast.id}`,
      `blast.cancel ${blast.id}`,
      `blast.start ${blast.id}`,
      `blast.create ${blast.id}`,
      `device.connect ${device.id}`,
      `device.create ${device.id}`,
    ]);
  });

  it('stays valid and searchable after JWT_SECRET has changed', async (t) => {
    const [jwt_secret, secrets_key] = ['one of forty characters or thereabouts', '11'.repeat(32)];
    const options = { kind, config: { jwt_secret, secrets_key, audit_key: null as string | null } };
    const gateway = await aGateway(t, options);
    const { api, phone } = await gateway.signUp();
    await api('PUT', `/v1/consent/+${ANNA}`, { status: 'opted_out' });

    options.config = { ...options.config, jwt_secret: 'another of forty characters or so, too' };
    const next = await gateway.crash();
    await next.during(next.api('POST', '/auth/request-otp', { phone: `+${phone}` }));
    const { token } = (await next.api('POST', '/auth/verify-otp', { phone: `+${phone}`, code: codeOn(next.sandbox, phone) })).body;
    const { ok, to_seq } = (await next.as(token)('GET', '/v1/audit/verify')).body;
    assert.deepEqual([ok, to_seq], [true, 3]);
    const [consent] = await entriesOf(next.as(token), `&target=${ANNA}`);
    assert.equal(consent?.action, 'consent.set');

    options.config = { ...options.config, audit_key: '22'.repeat(32) };
    await assert.rejects(next.crash(), /^Error: AUDIT_KEY is not the key /);
  });

  it('can be paged, filtered, exported and verified, but not by keys or agents', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api } = await gateway.signUp();
    const { body: key } = await api('POST', '/v1/api-keys', { name: 'one' });
    await api('POST', '/v1/tags', { name: 'vip', color: '#112233' });
    const first = (await api('GET', '/v1/audit?limit=2')).body;
    const second = (await api('GET', `/v1/audit?limit=2&before=${first.next_before}&before_id=${first.next_before_id}`)).body;
    assert.deepEqual(
      [...first.entries, ...second.entries].map(({ seq }: Entry) => seq),
      [3, 2, 1],
    );
    assert.equal(second.next_before, null);
    assert.equal((await gateway.as(key.key)('GET', '/v1/audit')).status, 403);

    const exported = (await api('GET', '/v1/audit/export')).body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line));
    assert.deepEqual(
      exported.map(({ action }: Entry) => action),
      ['login.create', 'key.create', 'tag.create', 'audit.export'],
    );
    assert.deepEqual((await api('GET', '/v1/audit/verify')).body, { ok: true, from_seq: 1, to_seq: 4, first_bad_seq: null });
    assert.deepEqual((await entriesOf(api, '&action=audit.export')).length, 1);
  });

  it('reports entries that were modified or removed in the database', async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, id } = await gateway.signUp();
    const verdict = async () => (await api('GET', '/v1/audit/verify')).body;
    for (const name of ['a', 'b', 'c']) await api('POST', '/v1/tags', { name, color: '#112233' });
    const { to_seq } = await verdict();
    const rows = gateway.store.collection<{ _id: string; tenant_id: string; seq: number }>({ name: 'audit', indexes: [] });
    await rows.updateOne({ tenant_id: id, seq: 2 }, { $unset: { detail: 1 } });
    await rows.deleteOne({ tenant_id: id, seq: to_seq });
    await api('POST', '/v1/tags', { name: 'd', color: '#112233' });
    const { ok, first_bad_seq, faults } = await verdict();
    assert.deepEqual([ok, first_bad_seq], [false, 2]);
    assert.deepEqual(faults, [
      { seq: 2, fault: 'detail_removed' },
      { seq: to_seq, fault: 'cut_off' },
    ]);
  });

  it("publishes its head once a day in the gateway's log, in the metrics and as an event", async (t) => {
    const { log, lines } = aLog();
    let gateway = await aGateway(t, { kind, log });
    const { tokens, id } = await gateway.signUp();
    const secret = 'a-secret-of-thirty-two-characters!';
    await gateway.as(tokens.token)('POST', '/v1/webhooks', { url: 'https://example.com/in', secret, events: ['audit.head'] });
    // A node publishes the head as soon as it starts.
    gateway = await gateway.crash();
    const api = gateway.as(tokens.token);
    await gateway.until('it is published', () => lines('audit.head').some(({ tenant }) => tenant === id));
    const { events } = (await api('GET', '/v1/events/pull')).body;
    const heads = events.filter(({ type }: { type: string }) => type === 'audit.head');
    const last = JSON.parse((await api('GET', '/v1/audit/export')).body.split('\n')[1]);
    // By the node that died, perhaps, and by this one.
    const published = lines('audit.head').filter(({ tenant }) => tenant === id);
    for (const { seq, mac } of published) assert.deepEqual([seq, mac], [last.seq, last.chain.mac]);
    assert.deepEqual(
      heads.map(({ data, session_id }: Entry) => [data, session_id]),
      [[{ seq: last.seq, mac: last.chain.mac }, null]],
      'as one event',
    );
    const metrics = await (await fetch(`${gateway.node.url}/metrics`)).text();
    assert.ok(!metrics.includes(id), 'the open page names no tenant');
    assert.match(metrics, /gateway_audit_heads_published_total [1-9]/);
    await gateway.clock.advance(60_000);
    assert.equal(lines('audit.head').filter(({ tenant }) => tenant === id).length, published.length, 'once a day');
  });

  it("keeps operators' entries for 400 days, and passes verification after older ones are removed", async (t) => {
    const audit_key = '22'.repeat(32);
    const gateway = await aGateway(t, { kind, config: { audit_key } });
    const { operator, clock, store } = gateway;
    const guess = () => gateway.api('GET', '/v1/admin/audit', undefined, { 'x-admin-secret': 'guess' });
    const listed = async (): Promise<number[]> =>
      (await operator('GET', '/v1/admin/audit?action=operator.sign_in')).body.entries.map(({ seq }: Entry) => seq);
    await guess();
    clock.jump(398 * DAY_MS);
    await guess();
    await clock.advance(120_000);
    const [newer = 0, older] = await listed();
    assert.equal(older, newer - 1);
    clock.jump(3 * DAY_MS);
    await gateway.until('the older one is gone', async () => (await listed()).length === 1);
    await guess();
    assert.deepEqual(await listed(), [newer + 1, newer]);
    const verdict = await auditLogIn(store, Buffer.from(audit_key, 'hex')).verify(OPERATOR_LOG);
    assert.deepEqual(verdict, { ok: true, from_seq: newer, to_seq: newer + 1, first_bad_seq: null });
  });
});
