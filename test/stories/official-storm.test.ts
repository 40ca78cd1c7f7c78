import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { plansFrom } from '../../actors/domain/plans.ts';
import { seededRandom } from '../../runtime/random.ts';
import { officialHooksIn } from '../../store/devices/official-hooks.ts';
import type { Answer } from '../support/gateway.ts';
import { anApprovedTemplate, anOfficialShop } from '../support/official.ts';
import { embedded } from '../support/stores.ts';

/**
 * The promises of the official channel under faults: no message is sent twice, none is lost without a word, and each
 * webhook counts once. The nightly run repeats them with many more messages (`OFFICIAL_SENDS`, `OFFICIAL_UPDATES`).
 */
const SENDS = Number(process.env['OFFICIAL_SENDS'] ?? 40);
const UPDATES = Number(process.env['OFFICIAL_UPDATES'] ?? 60);
const PEOPLE = Math.min(100, SENDS / 2);
const PER_CALL = 20;
const PER_HOOK = 10;
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

describe('the official channel under faults', () => {
  it(`sends ${SENDS} messages at most once each, even if processes are killed and responses are lost`, {
    timeout: 14_400_000,
  }, async (t) => {
    const shop = await anOfficialShop(t, embedded, { plans: plansFrom({ free: { messages: 1_000_000 } }) });
    const { acme, verbs, keys, path } = shop;
    const { sandbox } = shop.gateway;
    const random = seededRandom(7);
    let { gateway } = shop;
    const template_id = await anApprovedTemplate(shop);
    verbs.changeOfficial(keys.phone_number_id, { tier: null });
    await gateway.until('there is no limit', async () => (await shop.session()).official.tier === null);
    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'all', scopes: ['read', 'send', 'manage'] })).body;
    const api = (method: string, place: string, body?: object) => gateway.as(key)(method, place, body);
    const accepted = new Map<string, number>();
    let seen = 0;
    const count = (): void => {
      for (const { seq, what, netId } of sandbox.journal.after(seen)) {
        seen = seq;
        const [id = ''] = String(netId).split('.');
        if (what === 'accepted') accepted.set(id, (accepted.get(id) ?? 0) + 1);
      }
    };
    const isSettled = async (): Promise<boolean> => (await api('GET', `${path}/messages?status=queued&limit=1`)).body.messages.length === 0;
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
      await gateway.clock.advance(660_000);
      await gateway.until('all are settled', isSettled);
      count();
      if (sent % 1_000 === 1_000 - PEOPLE) console.log(`${sent + PEOPLE} messages are settled`);
    }
    const sums = judged(await logOf(api, `${path}/messages?direction=outbound`), accepted);
    console.log(`${SENDS} messages: ${JSON.stringify(sums)}`);
    assert.ok(sums.arrived > SENDS / 2 && sums.unknown > 0);
  });

  it(`stores each of ${UPDATES} messages once if webhooks arrive duplicated or out of order`, { timeout: 14_400_000 }, async (t) => {
    const { gateway, acme, path, keys, made } = await anOfficialShop(t, embedded);
    const random = seededRandom(11);
    const { pathname } = new URL(made.official.webhook_url);
    const at = Math.floor(gateway.clock.now() / 1_000);
    const hookOf = (numbers: readonly number[]): string => {
      const messages = numbers.map((nth) => ({
        ...{ from: personOf(nth % 50), id: `wamid.${nth}`, timestamp: String(at), type: 'text', text: { body: `no ${nth}` } },
      }));
      const metadata = { display_phone_number: '1', phone_number_id: keys.phone_number_id };
      const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, messages } };
      return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: keys.waba_id, changes: [change] }] });
    };
    const shuffled = <T>(list: readonly T[]): readonly T[] =>
      list
        .map((one) => [random(), one] as const)
        .sort(([one], [other]) => one - other)
        .map(([, one]) => one);
    const numbers = Array.from({ length: UPDATES }, (_, nth) => nth);
    const hooksOf = (order: readonly number[]): readonly string[] =>
      Array.from({ length: Math.ceil(order.length / PER_HOOK) }, (_, nth) => hookOf(order.slice(nth * PER_HOOK, (nth + 1) * PER_HOOK)));
    const first = hooksOf(shuffled(numbers));
    // The same bytes again, and the same messages in other webhooks.
    for (const body of shuffled([...first, ...first, ...hooksOf(shuffled(numbers))])) {
      const signature = `sha256=${createHmac('sha256', keys.app_secret).update(body).digest('hex')}`;
      const answer = await gateway.api('POST', pathname, body, { 'x-hub-signature-256': signature });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    }
    const { key } = (await acme.api('POST', '/v1/api-keys', { name: 'read', scopes: ['read'] })).body;
    const stored = async (): Promise<readonly string[]> =>
      (await logOf(gateway.as(key), `${path}/messages?direction=inbound`)).map(({ body }) => body);
    const hooks = officialHooksIn(gateway.store);
    await gateway.until('all are read', async () => (await hooks.waiting(made.id, 1)).length === 0);
    await gateway.clock.advance(60_000);
    assert.deepEqual((await stored()).toSorted(), numbers.map((nth) => `no ${nth}`).toSorted());
  });
});
