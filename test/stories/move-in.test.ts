import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANNA, type Api, aGateway, type Gateway, PHONE } from '../support/gateway.ts';
import { anOfficialDevice } from '../support/official.ts';
import { eachStore, embedded, type Scope, type StoreKind } from '../support/stores.ts';

const MINUTE = 60_000;
const NDJSON = { 'content-type': 'application/x-ndjson' };
const OTHER = '6281100000009';

/** A business with a device that has no login, and a program elsewhere that has one. */
async function aMove(scope: Scope, kind: StoreKind) {
  const gateway = await aGateway(scope, { kind });
  const { api, tokens } = await gateway.signUp();
  const { id } = (await api('POST', '/v1/sessions', { name: 'Front desk' })).body;
  const path = `/v1/sessions/${id}`;
  const login = gateway.sandbox.device(PHONE).login();
  const move = (body: string): ReturnType<Api> => api('POST', `${path}/move-in`, body, NDJSON);
  const check = (body: string): ReturnType<Api> => api('POST', `${path}/move-in/check`, body, NDJSON);
  const moved = (move: string) => api('GET', `${path}/move-in/${move}`);
  const became = (move: string, status: string) =>
    gateway.until(`the move is ${status}`, async () => {
      const { body } = await moved(move);
      assert.ok(body.status === status || body.status !== 'failed', JSON.stringify(body));
      return body.status === status && body;
    });
  return { gateway, api, tokens, path, login, move, check, moved, became };
}

type Records = readonly Readonly<Record<string, unknown>>[];
const recordsOf = (login: string): Records =>
  login
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const linesOf = (records: Records): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const changed = (login: string, change: (creds: Record<string, unknown>) => void): string =>
  linesOf(
    recordsOf(login).map((record) => {
      if (record['kind'] !== 'creds') return record;
      const copy = structuredClone(record) as { value: Record<string, unknown> };
      change(copy.value);
      return copy;
    }),
  );

const reasonOf = async (api: Api, path: string) => {
  const { status, reason } = (await api('GET', `${path}`)).body;
  return [status, reason ?? null];
};

async function written(gateway: Gateway, body: string): Promise<void> {
  gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body }, quotes: null });
}

eachStore('a login moved from another program', (kind) => {
  it('connects without a scan, receives missed messages, and completes after five quiet minutes', async (t) => {
    const { gateway, api, path, login, move, check, became } = await aMove(t, kind);
    const judged = (await check(login)).body;
    assert.equal(judged.phone, PHONE);
    assert.deepEqual(judged.accepted, { creds: 1, session: 1, 'sender-key': 1, 'pre-key': 1, 'lid-mapping': 2 });
    assert.deepEqual([judged.dropped, judged.ignored], [[], { 'app-state-sync-version': 1 }]);
    assert.deepEqual(await reasonOf(api, path), ['pending', null], 'a check takes nothing over');

    await written(gateway, 'while nobody was there');
    const { status, body } = await move(login);
    assert.equal(status, 202);
    const watching = await became(body.id, 'watching');
    assert.deepEqual([watching.accepted, watching.dropped, watching.ignored, watching.error], [judged.accepted, [], judged.ignored, null]);
    const session = (await api('GET', path)).body;
    assert.deepEqual([session.status, session.phone_number], ['connected', PHONE]);
    assert.notEqual(session.warmup_until_ms, undefined);
    await gateway.until('the message is there', async () =>
      (await api('GET', `${path}/messages`)).body.messages.some(({ body: text }: { body: string }) => text === 'while nobody was there'),
    );
    await api('POST', `${path}/messages`, { type: 'text', chat_id: ANNA, body: 'Hello from here' });
    await gateway.until('Anna reads the answer', () => gateway.sandbox.phone(ANNA).messages()[0]?.content);

    await gateway.clock.advance(5 * MINUTE);
    await became(body.id, 'done');
    assert.equal((await move(login)).status, 409);
    const entries = (await api('GET', '/v1/audit?action=session.move_in')).body.entries;
    assert.equal(entries.length, 1);
    assert.ok(JSON.stringify(entries[0].changes).includes('accepted.session'), JSON.stringify(entries[0].changes));
    const { contacts } = (await api('GET', '/v1/contacts')).body;
    assert.deepEqual(
      contacts.map(({ phone }: { phone: string }) => phone),
      [ANNA],
      'only who wrote is a contact',
    );
  });

  it('fails and leaves the device offline if the old program is still running', async (t) => {
    const { gateway, api, path, login, move, became, moved } = await aMove(t, kind);
    gateway.sandbox.device(PHONE).oldClient(true);
    const { id } = (await move(login)).body;
    await gateway.until('the move failed', async () => (await moved(id)).body.status === 'failed');
    const { error } = (await moved(id)).body;
    assert.equal(error.code, 'MOVED_ELSEWHERE');
    assert.match(error.error, /Another program uses this login/);
    assert.deepEqual(await reasonOf(api, path), ['failed', 'moved_elsewhere']);
    await gateway.clock.advance(60 * MINUTE);
    assert.deepEqual(await reasonOf(api, path), ['failed', 'moved_elsewhere']);
    const logins = gateway.sandbox.journal
      .after(0, 10_000)
      .filter(({ what, deviceId }) => what === 'login' && deviceId === path.split('/').at(-1));
    assert.equal(logins.length, 1);

    gateway.sandbox.device(PHONE).oldClient(false);
    await became((await move(login)).body.id, 'watching');
    assert.equal((await moved(id)).body.error.code, 'MOVED_ELSEWHERE', 'the former move keeps its end');
  });

  it('is still monitored after the gateway restarts', async (t) => {
    const { gateway, tokens, path, login, move, became } = await aMove(t, kind);
    const { id } = (await move(login)).body;
    await became(id, 'watching');
    const next = await gateway.crash();
    const api = next.as(tokens.token);
    const status = async (): Promise<string> => (await api('GET', `${path}/move-in/${id}`)).body.status;
    await next.until('the device is back', async () => (await api('GET', path)).body.status === 'connected');
    assert.equal(await status(), 'watching');
    next.sandbox.device(PHONE).oldClient(true);
    await next.until('the old program showed itself', async () => (await status()) === 'failed');
    assert.deepEqual(await reasonOf(api, path), ['failed', 'moved_elsewhere']);
  });
});

describe('the check before a login is moved', () => {
  it('rejects a login that is incomplete or in an unknown format', async (t) => {
    const { login, check, move, moved } = await aMove(t, embedded);
    for (const field of ['me', 'account']) {
      const without = changed(login, (creds) => delete creds[field]);
      assert.equal((await check(without)).status, 400);
      const { id } = (await move(without)).body;
      const { status, error } = (await moved(id)).body;
      assert.deepEqual([status, error.code], ['failed', 'LOGIN_INCOMPLETE']);
    }
    for (const body of ['', '{"format":"other"}\n', '[1]\n', 'no JSON\n']) {
      const { status, body: answer } = await move(body);
      assert.deepEqual([status, answer.code, answer.details?.[0].path], [400, 'VALIDATION_FAILED', 'format'], body);
    }
  });

  it('fails if the network reports a different number than the login contains', async (t) => {
    const { gateway, api, path, login, move, moved } = await aMove(t, embedded);
    const forged = changed(login, (creds) => {
      creds['me'] = { id: `${OTHER}:1@s.whatsapp.net` };
    });
    const { id } = (await move(forged)).body;
    await gateway.until('the move failed', async () => (await moved(id)).body.status === 'failed');
    assert.equal((await moved(id)).body.error.code, 'NUMBER_MISMATCH');
    assert.equal((await api('GET', path)).body.status, 'failed');
  });

  it('fails if the network rejects the login', async (t) => {
    const { gateway, path, api, login, move, moved } = await aMove(t, embedded);
    gateway.sandbox.device(PHONE).fault({ kind: 'logout' });
    const { id } = (await move(login)).body;
    await gateway.until('the move failed', async () => (await moved(id)).body.status === 'failed');
    assert.equal((await moved(id)).body.error.code, 'LOGIN_REFUSED');
    assert.deepEqual(await reasonOf(api, path), ['failed', 'logged_out']);
  });

  it('returns 409 for a linked device and for a number on the official platform', async (t) => {
    const { gateway, login } = await aMove(t, embedded);
    const tenant = await gateway.signUp('Other', '+6281100000077');
    const { path } = await tenant.linked('6281100000078');
    assert.equal((await tenant.api('POST', `${path}/move-in`, login, NDJSON)).status, 409);
    gateway.clock.waitWhile(() => gateway.sandbox.official.isBusy, 'the official platform');
    const another = await gateway.signUp('Third', '+6281100000079');
    const official = await anOfficialDevice(gateway, another);
    assert.equal((await another.api('POST', `${official.path}/move-in`, login, NDJSON)).status, 409);
  });
});

describe('a hostile bundle', () => {
  it('cannot add gateway records, and each of its invalid records is dropped with a fixed reason', async (t) => {
    const { login, check } = await aMove(t, embedded);
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const hostile = [
      { kind: 'inbound', id: 'x', value: { forged: true } },
      { kind: 'own-phone', id: 'x', value: {} },
      { kind: 'history', id: 'x', value: {} },
      { kind: 'absent', id: 'x', value: {} },
      { kind: 'session', id: '../../etc', value: {} },
      { kind: 'session', id: '6281100000005.0', value: { _sessions: {} } },
      { kind: 'pre-key', id: '7', value: { public: 'secret canary', private: 'x' } },
      { kind: '__proto__', id: 'x', value: {} },
      { kind: 'lid-mapping', id: '6281100000005', value: '111111111111111' },
      { kind: 'creds', id: 'creds', value: {} },
    ];
    const lines = `${login}${linesOf(hostile)}{"kind":"session","id":"6281100000006.0","value":${deep}}\nnot JSON\n${'x'.repeat(1_048_577)}\n`;
    const { status, body } = await check(lines);
    assert.equal(status, 200);
    assert.deepEqual(body.ignored, { 'app-state-sync-version': 1, inbound: 1, 'own-phone': 1, history: 1, absent: 1 });
    assert.deepEqual(
      body.dropped.map(({ kind, why }: { kind: string; why: string }) => `${kind} ${why}`),
      [
        'session bad_id',
        'session bad_value',
        'pre-key bad_value',
        '__proto__ unknown_kind',
        'creds duplicate',
        ' too_deep',
        ' unreadable',
        ' too_long',
        'lid-mapping contradiction',
      ],
    );
    assert.ok(!JSON.stringify(body).includes('canary'));
  });
});
