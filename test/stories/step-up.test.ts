import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSecurityAction } from '../../actors/services/security/notice-of.ts';
import type { RowFacts } from '../../http/core/engine.ts';
import { asksForCode } from '../../http/core/row.ts';
import { holdsIn } from '../../store/privacy/holds.ts';
import { SECRET } from '../actors/services/webhooks/receiver.ts';
import { type Api, aGateway, type Gateway } from '../support/gateway.ts';
import { interruptedStore } from '../support/interrupted-store.ts';
import { enabled } from '../support/second-factor.ts';
import { eachStore, embedded, type Scope, type StoreKind } from '../support/stores.ts';
import { ACTS, furnished, HARMLESS } from './step-up-acts.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const SECURITY = [
  'security.sign_in',
  'security.key_created',
  'security.webhook_created',
  'security.two_factor_changed',
  'security.access_changed',
  'security.data_exported',
  'security.data_deleted',
];

/** Endpoints of logins that leave an entry in the audit log, delete something, or answer with a file, and do not say whether they need a code. */
const undecided = (rows: readonly RowFacts[]): readonly string[] =>
  rows
    .filter(({ access }) => access !== 'none' && access !== 'operator')
    .filter(({ method, audit, produces }) => method === 'DELETE' || produces || (audit && 'action' in audit))
    .filter(({ stepUp }) => stepUp === undefined)
    .map(({ id }) => id);

/** Endpoints that need a code, and whose acts no notice tells the owner of. */
const untold = (rows: readonly RowFacts[]): readonly string[] =>
  rows
    .filter(({ stepUp, audit }) => asksForCode(stepUp) && !(audit && 'action' in audit && isSecurityAction(audit.action)))
    .map(({ id }) => id);

describe("an endpoint's declaration", () => {
  it('states whether a recent second factor is required, and which notice is sent', async (t) => {
    const { rows } = (await aGateway(t, { kind: embedded })).node.http;
    assert.deepEqual(undecided(rows), []);
    // The options for a passkey are no passkey yet.
    assert.deepEqual(untold(rows), ['startPasskey']);
    const { stepUp: _own, ...without } = rows.find(({ id }) => id === 'createApiKey')!;
    assert.deepEqual(undecided([...rows, { ...without, id: 'createSomething' }]), ['createSomething']);
    const unknown = { ...without, id: 'exportSomething', stepUp: true, audit: { action: 'something.export' } } as const;
    assert.deepEqual(untold([unknown]), ['exportSomething']);
  });

  it('is covered by tests that check the rejection and the notice', async (t) => {
    const { node, clock } = await aGateway(t, { kind: embedded });
    const told = new Set(['startPasskey', ...ACTS(clock.now()).map(([row]) => row)]);
    const asking = node.http.rows.filter(({ stepUp }) => asksForCode(stepUp)).map(({ id }) => id);
    assert.deepEqual(
      asking.filter((id) => !told.has(id)),
      [],
    );
    const harmless = new Set(HARMLESS(clock.now()).map(([row]) => row));
    const conditional = node.http.rows.filter(({ stepUp }) => asksForCode(stepUp) && stepUp !== true).map(({ id }) => id);
    assert.deepEqual(conditional.toSorted(), [...harmless].toSorted());
  });
});

describe('a login whose last code was entered eleven minutes ago', () => {
  it('cannot perform sensitive actions, but can perform other actions', async (t) => {
    const world = await furnished(t, embedded);
    const { gateway, tenant, ask } = world;
    const began = gateway.clock.now();
    const { key } = (await tenant.api('POST', '/v1/api-keys', { name: 'Everything' })).body;
    const { app } = await enabled(gateway, tenant.api);
    await gateway.clock.advance(11 * MINUTE);
    const { api } = tenant;
    for (const call of HARMLESS(began)) {
      const { status, body } = await ask(api, call);
      assert.ok(status < 300, `${call.join(' ')}: ${status} ${JSON.stringify(body)}`);
    }
    const { entries: before } = (await api('GET', '/v1/audit?limit=1')).body;
    for (const [row, method, path, body] of ACTS(began)) {
      const answer = await ask(api, [row, method, path, body]);
      assert.deepEqual([answer.status, answer.body.code], [403, 'STEP_UP_REQUIRED'], `${row} ${JSON.stringify(body)}`);
    }
    assert.equal((await api('POST', '/v1/passkeys/options')).body.code, 'STEP_UP_REQUIRED');
    const { entries } = (await api('GET', '/v1/audit?limit=200')).body;
    const since = entries.slice(
      0,
      entries.findIndex(({ id }: { id: string }) => id === before[0].id),
    );
    assert.deepEqual([...new Set(since.map(({ result }: { result: string }) => result))], ['refused'], 'nothing was done');

    // A key passes by its scopes: whoever made it proved the code then.
    const till = gateway.as(key);
    assert.equal((await till('GET', '/v1/contacts/export')).status, 200);
    const webhook = { url: `${world.receiver.url}/key`, secret: SECRET, events: ['message.sent'] };
    assert.equal((await till('POST', '/v1/webhooks', webhook)).status, 201);

    const { token } = (await api('POST', '/auth/step-up', { code: app() })).body;
    const proven = gateway.as(token);
    for (const [row, method, path, body] of ACTS(began)) {
      const { status, body: answer } = await ask(proven, [row, method, path, body]);
      assert.ok(status < 300, `${row} ${JSON.stringify(body)}: ${status} ${JSON.stringify(answer)}`);
    }
  });
});

/** Another call is answered between what the next call reads of a collection and what it writes; of nothing else is there another one. */
interface Meanwhile {
  readonly kind: StoreKind;
  between(call: () => Promise<unknown>): void;
}

function meanwhileIn(kind: StoreKind, name: string): Meanwhile {
  let other: (() => Promise<unknown>) | null = null;
  const fresh = async (scope: Scope) => {
    const when = () => other !== null;
    return interruptedStore(await kind.fresh(scope), { name, reading: 'findOne', when }, () => other?.());
  };
  return {
    kind: { name: kind.name, fresh },
    between(call) {
      other = call;
    },
  };
}

/** A business with two-factor, and its login eleven minutes after the last code. */
async function withStaleCode({ kind }: Meanwhile, t: Scope, furnish: (api: Api) => Promise<string>) {
  const gateway = await aGateway(t, { kind });
  const { api } = await gateway.signUp();
  const path = await furnish(api);
  await enabled(gateway, api);
  await gateway.clock.advance(11 * MINUTE);
  return { api, path, now: gateway.clock.now() };
}

eachStore('two concurrent changes', (kind) => {
  it("do not extend a key's rights if each change alone would restrict them", async (t) => {
    const meanwhile = meanwhileIn(kind, 'api_keys');
    const addresses = ['203.0.113.7', '203.0.113.8'];
    const { api, path } = await withStaleCode(meanwhile, t, async (owner) => {
      const { id } = (await owner('POST', '/v1/api-keys', { name: 'Till', allowed_ips: addresses })).body;
      return `/v1/api-keys/${id}`;
    });
    meanwhile.between(async () => assert.equal((await api('PATCH', path, { allowed_ips: addresses.slice(0, 1) })).status, 200));
    assert.equal((await api('PATCH', path, { allowed_ips: addresses.slice(1) })).body.code, 'STEP_UP_REQUIRED');
    const { allowed_ips } = (await api('GET', '/v1/api-keys')).body.api_keys[0];
    assert.deepEqual(allowed_ips, addresses.slice(0, 1));
  });

  it("do not restore a webhook's previous address if it was changed in the meantime", async (t) => {
    const meanwhile = meanwhileIn(kind, 'webhooks');
    const [first, second] = ['https://example.com/a', 'https://example.com/b'];
    let key = '';
    const { api, path } = await withStaleCode(meanwhile, t, async (owner) => {
      ({ key } = (await owner('POST', '/v1/api-keys', { name: 'Till' })).body);
      const { id } = (await owner('POST', '/v1/webhooks', { url: first, secret: SECRET, events: ['message.sent'] })).body;
      return `/v1/webhooks/${id}`;
    });
    const authorization = { authorization: `Bearer ${key}` };
    meanwhile.between(async () => assert.equal((await api('PATCH', path, { url: second }, authorization)).status, 200));
    assert.equal((await api('PATCH', path, { url: first, paused: true })).status, 200);
    const { url, disabled_at } = (await api('GET', path)).body;
    assert.equal(url, second);
    assert.notEqual(disabled_at, null);
  });

  it('do not shorten a retention period that was extended in the meantime', async (t) => {
    const meanwhile = meanwhileIn(kind, 'privacy_retention');
    const { api, path } = await withStaleCode(meanwhile, t, async (owner) => {
      assert.equal((await owner('PUT', '/v1/privacy', { retention_days: { messages: 30 } })).status, 200);
      return '/v1/privacy';
    });
    meanwhile.between(async () => assert.equal((await api('PUT', path, { retention_days: { messages: 90 } })).status, 200));
    assert.equal((await api('PUT', path, { retention_days: { messages: 60 } })).body.code, 'STEP_UP_REQUIRED');
    assert.deepEqual((await api('GET', path)).body.pending.retention_days.messages, 90);
  });
});

eachStore('a hold', (kind) => {
  it('is extended by a later end date, but is not shortened by an earlier one', async (t) => {
    const store = await kind.fresh(t);
    const holds = holdsIn(store);
    await store.prepare();
    const prolong = (until: number) => holds.prolong('shop', '*', { reason: 'Claim', until }, 1);
    await Promise.all([prolong(30), prolong(20)]);
    assert.equal(await prolong(10), false);
    assert.equal((await holds.ofTenant('shop', 1))?.until, 30);
    assert.equal(await prolong(40), true);
    assert.equal((await holds.ofTenant('shop', 1))?.until, 40);
  });
});

/** The security notices on a phone, oldest first. */
const noticesOn = ({ sandbox }: Gateway, digits: string): readonly string[] =>
  sandbox
    .phone(digits)
    .messages(50)
    .flatMap(({ content }) => (content.type === 'text' && /^(Security|Keamanan): /.test(content.body) ? [content.body] : []))
    .toReversed();

describe('the owner of a business without two-factor', () => {
  it('gets a message and an event for each sensitive action', async (t) => {
    const { gateway, tenant, receiver, ask } = await furnished(t, embedded);
    const began = gateway.clock.now();
    const made = await tenant.api('POST', '/v1/webhooks', { url: receiver.url, secret: SECRET, events: SECURITY });
    assert.equal(made.status, 201);
    const told = (): readonly string[] => noticesOn(gateway, tenant.phone);
    let { refresh_token } = tenant.tokens;
    /** Another hour, in which five messages may be sent, and one of an export. */
    const anHourLater = async (): Promise<Api> => {
      await gateway.clock.advance(2 * MINUTE);
      gateway.clock.jump(HOUR);
      await gateway.clock.advance(2 * MINUTE);
      const { body } = await gateway.api('POST', '/auth/refresh', { refresh_token });
      ({ refresh_token } = body);
      return gateway.as(body.token);
    };
    for (const [row, method, path, body, [type, data]] of ACTS(began)) {
      const api = await anHourLater();
      const [texts, events] = [told().length, receiver.of(type).length];
      const title = `${row} ${JSON.stringify(body)}`;
      const answer = await ask(api, [row, method, path, body]);
      assert.ok(answer.status < 300, `${title}: ${answer.status} ${JSON.stringify(answer.body)}`);
      await gateway.until(`a message of ${title}`, () => told().length === texts + 1);
      await gateway.until(`an event of ${title}`, () => receiver.of(type).length === events + 1);
      const own = receiver.of(type).at(-1)!.body.data;
      const shown = { action: own.action, kind: own.kind ?? own.target?.kind };
      assert.deepEqual({ ...shown, ...data }, shown, title);
      assert.deepEqual(own.by ?? own.actor, { kind: 'owner', id: tenant.id, name: 'Acme' }, title);
    }
  });
});
