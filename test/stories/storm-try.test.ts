import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { plansFrom } from '../../actors/domain/plans.ts';
import { seededRandom } from '../../runtime/random.ts';
import { officialHooksIn } from '../../store/devices/official-hooks.ts';
import type { Answer, Gateway } from '../support/gateway.ts';
import { anApprovedTemplate, anOfficialShop } from '../support/official.ts';
import { type StoreKind, storesOfKills } from '../support/stores.ts';

/**
 * The promises of the official channel under faults: no message is sent twice, none is lost without a word, and each
 * webhook counts once. The nightly run repeats them on each store with 20,000 sends (`OFFICIAL_SENDS`) and 100,000
 * webhooks (`OFFICIAL_UPDATES` messages, each in three of them).
 */
const SENDS = Number(process.env['OFFICIAL_SENDS'] ?? 40);
const UPDATES = Number(process.env['OFFICIAL_UPDATES'] ?? 60);
const PEOPLE = Math.min(100, SENDS / 2);
const PER_CALL = 20;
const PER_HOOK = 3;
/** Statuses per repeated webhook. */
const STATUSES = 50;
const COUNTED = ['message.delivered', 'message.read'];
const FAULTS = [
  ...[{ drop: 'after_body' }, { drop: 'before_body' }, { http: 502 }, { http: 429 }, { code: 130_429 }, { code: 131_016 }],
  ...[{ held: 'released' }, { code: 131_056 }],
] as const;

const personOf = (nth: number): string => String(6_281_300_000_000 + nth);

interface Logged {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly body: string;
}

async function logOf(api: (method: string, place: string) => Promise<Answer>, place: string): Promise<readonly Logged[]> {
  const log: Logged[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { messages, next_before, next_before_id }: Answer['body'] = (await api('GET', `${place}&limit=200${after}`)).body;
    log.push(...messages);
    after = next_before === null ? null : `&before=${next_before}&before_id=${next_before_id}`;
  }
  return log;
}

/** `accepted`: how often the platform accepted each message. */
function judged(log: readonly Logged[], accepted: ReadonlyMap<string, number>) {
  assert.equal(log.length, SENDS);
  const sums = { arrived: 0, unknown: 0, ofThemArrived: 0 };
  for (const { id, status, error } of log) {
    const times = accepted.get(id) ?? 0;
    assert.ok(times <= 1, `${id} was sent ${times} times`);
    if (status !== 'failed') assert.deepEqual([status, times], ['read', 1], id);
    else assert.equal(error, 'unknown_outcome', id);
    if (status !== 'failed') sums.arrived += 1;
    else sums.unknown += 1;
    if (status === 'failed') sums.ofThemArrived += times;
  }
  return sums;
}

type Shop = Awaited<ReturnType<typeof anOfficialShop>>;

function shuffled<T>(list: readonly T[], random: () => number): readonly T[] {
  return list
    .map((one) => [random(), one] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, one]) => one);
}

const inParts = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, nth) => list.slice(nth * size, (nth + 1) * size));

/** Makes and posts webhooks of the platform for the shop's number. */
function hooksOf({ made, keys }: Shop) {
  const { pathname } = new URL(made.official.webhook_url);
  const metadata = { display_phone_number: '1', phone_number_id: keys.phone_number_id };
  return {
    made(part: object): string {
      const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...part } };
      return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: keys.waba_id, changes: [change] }] });
    },
    async post({ api }: Pick<Gateway, 'api'>, body: string): Promise<void> {
      const signature = `sha256=${createHmac('sha256', keys.app_secret).update(body).digest('hex')}`;
      const answer = await api('POST', pathname, body, { 'x-hub-signature-256': signature });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    },
  };
}

/** Counts events of messages by message and type. An event that is read twice has the same id. */
function eventCounter() {
  const seen = new Map<string, number>();
  let after = '';
  return {
    seen,
    async read(api: (method: string, place: string) => Promise<Answer>): Promise<void> {
      for (;;) {
        const { events, next }: Answer['body'] = (await api('GET', `/v1/events/pull?events=${COUNTED}&reader=storm&limit=200${after}`))
          .body;
        for (const { type, data } of events) {
          const key = `${type} ${data.message_id}`;
          seen.set(key, (seen.get(key) ?? 0) + 1);
        }
        if (events.length === 0) return;
        after = `&after=${next}`;
      }
    },
  };
}

async function sendThrough(t: TestContext, kind: StoreKind): Promise<void> {
  const shop = await anOfficialShop(t, kind, { plans: plansFrom({ free: { messages: 1_000_000 } }) });
  const { acme, verbs, keys, path } = shop;
  const { sandbox } = shop.gateway;
  const random = seededRandom(7);
  let { gateway } = shop;
  const template_id = await anApprovedTemplate(shop);
  verbs.changeOfficial(keys.phone_number_id, { tier: null });
  await gateway.until('there is no limit', async () => (await shop.session()).official.tier === null);
  const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'all', scopes: ['read', 'send', 'manage'] })).body;
  const api = (method: string, place: string, body?: object) => gateway.as(key)(method, place, body);
  const hooks = hooksOf(shop);
  const events = eventCounter();
  const accepted = new Map<string, number>();
  let seen = 0;
  await events.read(api);
  const count = (): void => {
    for (const { seq, what, netId } of sandbox.journal.after(seen)) {
      seen = seq;
      const [id = ''] = String(netId).split('.');
      if (what === 'accepted') accepted.set(id, (accepted.get(id) ?? 0) + 1);
    }
  };
  const isSettled = async (): Promise<boolean> => (await api('GET', `${path}/messages?status=queued&limit=1`)).body.messages.length === 0;
  /** Sends the statuses again in other webhooks, out of order. */
  const repeatStatuses = async (): Promise<void> => {
    const statuses = sandbox.official.hooks.calls
      .splice(0)
      .flatMap(({ body }) => JSON.parse(body).entry[0].changes[0].value.statuses ?? []);
    for (const part of inParts(shuffled(statuses, random), STATUSES)) await hooks.post(gateway, hooks.made({ statuses: part }));
    await gateway.until('the statuses are read', async () => (await officialHooksIn(gateway.store).waiting(shop.id, 1)).length === 0);
  };
  for (let sent = 0; sent < SENDS; sent += PEOPLE) {
    sandbox.official.hooks.habits = { twice: true };
    for (const fault of FAULTS) {
      const times = Math.ceil((PEOPLE / 100) * random());
      verbs.changeOfficial(keys.phone_number_id, { fault: { ...fault, times } });
    }
    for (let nth = 0; nth < PEOPLE; nth += PER_CALL) {
      const messages = Array.from({ length: Math.min(PER_CALL, PEOPLE - nth) }, (_, more) => ({
        ...{ chat_id: personOf(nth + more), type: 'text', template_id, variables: { name: `${sent}` } },
      }));
      const answer = await api('POST', `${path}/messages/bulk`, { messages });
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
    }
    // Statuses arrive late and newest first, and the process dies while messages are on their way.
    sandbox.official.hooks.habits = { twice: true, held: true };
    await gateway.clock.advance(Math.floor(random() * 3_000));
    gateway = await gateway.crash();
    sandbox.official.hooks.habits = { twice: true };
    await gateway.clock.advance(Number(process.env.ADV ?? 660_000));
    await gateway.until('all are settled', isSettled);
    await repeatStatuses();
    await events.read(api);
    count();
    if (sent % 1_000 === 1_000 - PEOPLE) console.log(`${sent + PEOPLE} messages are settled`);
  }
  const sums = judged(await logOf(api, `${path}/messages?direction=outbound`), accepted);
  console.log(`${SENDS} messages: ${JSON.stringify(sums)}`);
  assert.ok(sums.arrived > SENDS / 2 && sums.unknown > 0);
  const ofType = (type: string): readonly number[] =>
    [...events.seen].flatMap(([key, times]) => (key.startsWith(`${type} `) ? [times] : []));
  console.log('ROWS', JSON.stringify((await api('GET', '/v1/analytics/costs?days=30')).body.rows));
  for (const type of COUNTED) console.log(type, ofType(type).length, ofType(type).filter((n) => n !== 1).length);
  for (const type of COUNTED) {
    const times = ofType(type);
    assert.deepEqual([times.filter((one) => one !== 1), times.length], [[], sums.arrived], type);
  }
  const rows = (await api('GET', '/v1/analytics/costs?days=30')).body.rows;
  assert.deepEqual(
    rows.map(({ billed }: { billed: number }) => billed),
    [sums.arrived],
  );
}

async function receive(t: TestContext, kind: StoreKind): Promise<void> {
  const shop = await anOfficialShop(t, kind);
  const { gateway, acme, path, made } = shop;
  const random = seededRandom(11);
  const at = Math.floor(gateway.clock.now() / 1_000);
  const written = (nth: number) => ({
    ...{ from: personOf(nth % 50), id: `wamid.${nth}`, timestamp: String(at), type: 'text', text: { body: `no ${nth}` } },
  });
  const hooks = hooksOf(shop);
  const numbers = Array.from({ length: UPDATES }, (_, nth) => nth);
  const inHooks = (): readonly string[] =>
    inParts(shuffled(numbers, random), PER_HOOK).map((part) => hooks.made({ messages: part.map(written) }));
  const first = inHooks();
  // The same bytes again, and the same messages in other webhooks.
  for (const body of shuffled([...first, ...first, ...inHooks()], random)) await hooks.post(gateway, body);
  const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'read', scopes: ['read'] })).body;
  const stored = async (): Promise<readonly string[]> =>
    (await logOf(gateway.as(key), `${path}/messages?direction=inbound`)).map(({ body }) => body);
  const waiting = officialHooksIn(gateway.store);
  await gateway.until('all are read', async () => (await waiting.waiting(made.id, 1)).length === 0);
  await gateway.clock.advance(60_000);
  assert.deepEqual((await stored()).toSorted(), numbers.map((nth) => `no ${nth}`).toSorted());
}

describe('the official channel under faults', () => {
  for (const kind of storesOfKills) {
    const title = `sends ${SENDS} messages at most once each, even if processes are killed and responses are lost, and counts each status once (${kind.name})`;
    it(title, { timeout: 14_400_000 }, (t) => sendThrough(t, kind));

    it(
      `stores each of ${UPDATES} messages once if webhooks arrive duplicated or out of order (${kind.name})`,
      {
        timeout: 14_400_000,
      },
      (t) => receive(t, kind),
    );
  }
});
