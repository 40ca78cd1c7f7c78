import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { testConsentsIn } from '../../../support/consents.ts';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aConsentFixture } from './consent-fixture.ts';

const person = (nth: number): string => `62812111${String(10_000 + nth)}`;

eachStore('consent records', (kind) => {
  it('can be changed by people and API keys, and keep every change in the history', async (t) => {
    const { gateway, acme, api, of } = await aConsentFixture(t, kind);
    const first = (await api('PUT', '/v1/consent/0812-1111-0001', { status: 'opted_in', note: 'at the fair' })).body;
    assert.deepEqual([first.ok, first.changed, first.consent.phone, first.consent.source], [true, true, ANNA, 'dashboard']);
    const { key } = (await api('POST', '/v1/api-keys', { name: 'shop' })).body;
    const again = (await gateway.as(key)('PUT', `/v1/consent/%2B${ANNA}`, { status: 'opted_in' })).body;
    assert.deepEqual([again.changed, again.consent.source, again.consent.created_at], [false, 'api', first.consent.created_at]);
    assert.deepEqual(
      (await of(ANNA)).history.map(({ source, note }: { source: string; note: string | null }) => [source, note]),
      [
        ['api', null],
        ['dashboard', 'at the fair'],
      ],
    );
    for (const method of ['PUT', 'GET']) {
      const path = method === 'PUT' ? '/v1/consent/12' : '/v1/consent/history/12';
      const { status, body } = await api(method, path, method === 'PUT' ? { status: 'opted_in' } : undefined);
      assert.deepEqual([status, body.code], [400, 'INVALID_NUMBER']);
    }
    const other = await gateway.signUp('Other', '+62 811-0000-8888');
    assert.equal((await other.api('GET', `/v1/consent/history/%2B${ANNA}`)).body.current, null);
    assert.equal(acme.phone, '6281100009999');
  });

  it("still show a person's own opt-out after an API key has opted the person out again", async (t) => {
    const { gateway, api, of, write, becomes } = await aConsentFixture(t, kind);
    write(ANNA, 'STOP');
    await becomes(ANNA, 'opted_out');
    const { key } = (await api('POST', '/v1/api-keys', { name: 'shop' })).body;
    const again = (await gateway.as(key)('PUT', `/v1/consent/%2B${ANNA}`, { status: 'opted_out' })).body;
    assert.deepEqual([again.changed, again.consent.source], [false, 'keyword']);
    const sources = ({ history }: { history: { source: string }[] }) => history.map(({ source }) => source);
    assert.deepEqual([(await of(ANNA)).current.source, sources(await of(ANNA))], ['keyword', ['api', 'keyword']]);
    const lifted = (await gateway.as(key)('PUT', `/v1/consent/%2B${ANNA}`, { status: 'opted_in' })).body;
    assert.deepEqual([lifted.changed, lifted.consent.source], [true, 'api']);
  });

  it('can be changed in bulk, counted, paged, searched and exported', async (t) => {
    const { gateway, api } = await aConsentFixture(t, kind);
    const phones = Array.from({ length: 600 }, (_, nth) => `+${person(nth)}`);
    await api('PUT', `/v1/consent/${person(0)}`, { status: 'opted_out', note: '=HYPERLINK("http://evil")' });
    const set = { phones: [...phones, phones[7], 'nonsense', ''], status: 'opted_out' };
    const counts = (await gateway.during(api('POST', '/v1/consent/bulk', set))).body;
    const { invalid_numbers, ...numbers } = counts;
    assert.deepEqual(numbers, { changed: 599, unchanged: 2, invalid: 2, opt_outs_lifted: 0 });
    assert.deepEqual(invalid_numbers, [
      { index: 601, value: 'nonsense', reason: 'invalid_number' },
      { index: 602, value: '', reason: 'empty' },
    ]);
    const back = (await api('POST', '/v1/consent/bulk', { phones: [`+${person(2)}`], status: 'opted_in' })).body;
    assert.deepEqual([back.changed, back.unchanged, back.opt_outs_lifted], [1, 0, 1]);
    await api('POST', '/v1/consent/bulk', { phones: [`+${person(2)}`], status: 'opted_out' });
    await api('PUT', `/v1/consent/${person(3)}`, { status: 'opted_in' });

    const first = (await api('GET', '/v1/consent?limit=200')).body;
    assert.deepEqual([first.summary, first.consent[0].phone], [{ opted_in: 1, opted_out: 599 }, person(3)]);
    const seen = first.consent.map(({ phone }: { phone: string }) => phone);
    assert.deepEqual((await api('GET', '/v1/consent?limit=200&before=null&before_id=null')).body.consent, first.consent);
    for (let page = first; page.next_before !== null; ) {
      page = (await api('GET', `/v1/consent?limit=200&before=${page.next_before}&before_id=${page.next_before_id}`)).body;
      seen.push(...page.consent.map(({ phone }: { phone: string }) => phone));
    }
    assert.deepEqual([seen.length, new Set(seen).size], [600, 600]);
    assert.equal((await api('GET', '/v1/consent?status=opted_in')).body.consent.length, 1);
    for (const part of [person(42).slice(-5), person(42).replace('62', '0')])
      assert.deepEqual((await api('GET', `/v1/consent?q=${part}`)).body.consent.map(phoneOf), [person(42)], part);

    const rows: string[][] = parse((await api('GET', '/v1/consent/export')).body);
    assert.deepEqual(rows[0], ['phone', 'status', 'source', 'note', 'updated_at', 'lid', 'username']);
    assert.deepEqual(
      [rows.length, rows[1]!.slice(0, 4)],
      [601, [`+${person(0)}`, 'opted_out', 'dashboard', '\'=HYPERLINK("http://evil")']],
    );
  });

  it('exclude erased people from their counts', async (t) => {
    const { gateway, api } = await aConsentFixture(t, kind);
    for (const nth of [1, 2]) await api('PUT', `/v1/consent/${person(nth)}`, { status: 'opted_out' });
    const asked = await api('POST', '/v1/privacy/erasures', { phone: `+${person(1)}`, confirm: true });
    assert.equal(asked.status, 202);
    const left = await gateway.until('one is erased', async () => {
      const { consent, summary } = (await api('GET', '/v1/consent')).body;
      return consent.length === 1 && summary;
    });
    assert.deepEqual(left, { opted_in: 0, opted_out: 1 });
    await api('PUT', `/v1/consent/${person(1)}`, { status: 'opted_in' });
    assert.deepEqual((await api('GET', '/v1/consent')).body.summary, { opted_in: 1, opted_out: 1 });
  });

  it('are published once per change to subscribed webhooks', async (t) => {
    const { gateway, api, write, becomes } = await aConsentFixture(t, kind);
    const hook = { url: 'https://example.com/hook', secret: 's'.repeat(40), events: ['consent.changed'] };
    assert.equal((await api('POST', '/v1/webhooks', hook)).status, 201);
    write(ANNA, 'STOP');
    await becomes(ANNA, 'opted_out');
    await api('PUT', `/v1/consent/${ANNA}`, { status: 'opted_out' });
    await api('PUT', `/v1/consent/${ANNA}`, { status: 'opted_in' });
    const changes = await gateway.until('both are told', async () => {
      const { events } = (await api('GET', '/v1/events/pull')).body;
      const own = events.filter(({ type }: { type: string }) => type === 'consent.changed');
      return own.length >= 2 && own;
    });
    assert.deepEqual(
      changes.map(({ data }: { data: Record<string, unknown> }) => [data['phone'], data['previous'], data['status'], data['source']]),
      [
        [ANNA, null, 'opted_out', 'keyword'],
        [ANNA, 'opted_out', 'opted_in', 'dashboard'],
      ],
    );
  });

  it('are published by any node after a crash', async (t) => {
    const { gateway, api } = await aConsentFixture(t, kind);
    const store = testConsentsIn(gateway.store);
    await api('PUT', `/v1/consent/${ANNA}`, { status: 'opted_out' });
    const row = (await store.find((await api('GET', '/v1/me')).body.tenant_id, ANNA))!;
    const outbox = { status: 'opted_in', source: 'api', note: null, at: row.updated_at, seq: 2, was: 'opted_out' } as const;
    await store.change(row.tenant_id, [ANNA], (_who, before) => ({
      ...before!,
      status: 'opted_in',
      seq: 2,
      outbox: [outbox],
      outbox_pending: true,
    }));
    assert.equal((await store.history(row.tenant_id, ANNA, 10)).length, 2);
    await gateway.until('it is done', async () => !(await store.find(row.tenant_id, ANNA))!.outbox_pending);
    assert.equal((await store.history(row.tenant_id, ANNA, 10)).length, 2);
  });

  it('are governed by settings that only the owner can change', async (t) => {
    const { gateway, api } = await aConsentFixture(t, kind);
    const config = (await api('GET', '/v1/consent/config')).body;
    assert.deepEqual([config.enabled, config.enforce_api, config.require_attestation, config.optout_reply], [true, false, false, null]);
    assert.ok(config.optout_keywords.includes('stop') && config.optout_keywords.length > 500);
    const { key } = (await api('POST', '/v1/api-keys', { name: 'shop' })).body;
    assert.equal((await gateway.as(key)('PUT', '/v1/consent/config', { enabled: false })).status, 403);
    assert.equal((await api('PUT', '/v1/consent/config', { optout_keywords: [] })).status, 400);
    assert.equal((await api('PUT', '/v1/consent/config', { require_attestation: true })).body.require_attestation, true);
    assert.equal((await api('GET', '/v1/consent/config')).body.enabled, true);
  });
});

const phoneOf = ({ phone }: { phone: string }): string => phone;
