import assert from 'node:assert/strict';
import { request } from 'node:http';
import { it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { turnsWatched } from '../../scripts/bench/contacts/loop-watch.ts';
import { type ChatRow, chatsSpec } from '../../store/conversations/chats.ts';
import { PAGE_BYTES } from '../../store/paging/page.ts';
import { type Api, aGateway, type Tenant } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const PHONE = '628111000100';
const ANNA = '628222000100';
const TEXTS = 120;
/** JSON writes each of these characters with six bytes. */
const LONGEST = '\u0001'.repeat(65_536);
const MOST_TURN_MS = 50;
/** Of all answers together, with what waits for its collection. */
const ROOM_BYTES = 2 ** 20 * 96;
const AT_ONCE = 10;

/** Reads an answer and keeps nothing of it but its size: what keeps it would be measured too. */
const sizeOf = (tenant: Tenant, url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = request(url, { headers: { authorization: `Bearer ${tenant.tokens.token}` } }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('end', () => resolve(bytes));
    });
    asked.on('error', reject).end();
  });

/** The most memory that the process has beyond what it had, bytes, while `work` goes on. */
async function mostBeyond(work: () => Promise<unknown>): Promise<number> {
  setFlagsFromString('--expose-gc');
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 10);
  await work();
  clearInterval(sampling);
  return Math.max(most, process.memoryUsage.rss()) - before;
}

interface ShownEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const isReceipt = ({ type }: ShownEvent): boolean => type === 'message.received';

/** The first pages of a list. */
async function pagesOf(api: Api, path: string, key: string, pages: number) {
  const found: { readonly ids: readonly string[]; readonly bytes: number }[] = [];
  for (let next = ''; found.length < pages; ) {
    const { status, body } = await api('GET', `${path}?limit=200${next}`);
    assert.equal(status, 200);
    found.push({ ids: body[key].map(({ id }: { readonly id: string }) => id), bytes: Buffer.byteLength(JSON.stringify(body)) });
    next = `&before=${body.next_before}&before_id=${body.next_before_id}`;
  }
  return found;
}

eachStore('lists of very long messages', (kind) => {
  it('return each message once in pages of 1 MB, with short ticks and little memory', { timeout: 600_000 }, async (t) => {
    const gateway = await aGateway(t, { kind });
    const tenant = await gateway.signUp();
    const device = await tenant.linked(PHONE);
    const anna = gateway.sandbox.phone(ANNA);
    for (let nth = 0; nth < TEXTS; nth += 1) anna.write({ to: PHONE, content: { type: 'text', body: LONGEST } });
    const log = `${device.path}/messages`;
    await gateway.until('all are there', async () => {
      const { body } = await tenant.api('GET', `${device.path}/chats`);
      return body.chats[0]?.unread_count === TEXTS;
    });

    const [chat] = await gateway.store.collection<ChatRow>(chatsSpec).find({}).toArray();
    assert.equal(chat?.last_message, LONGEST.slice(0, 200), 'what is stored');
    const [shown] = (await tenant.api('GET', '/v1/inbox')).body.chats;
    assert.equal(shown.last_message, LONGEST.slice(0, 200));
    const found = async (q: string): Promise<number> => (await tenant.api('GET', `/v1/inbox?q=${encodeURIComponent(q)}`)).body.chats.length;
    assert.deepEqual([await found(LONGEST.slice(0, 100)), await found(ANNA)], [1, 1]);

    const list = `${gateway.node.url}${log}?limit=200`;
    // What runs for the first time is compiled.
    for (let nth = 0; nth < 5; nth += 1) await sizeOf(tenant, list);
    let size = 0;
    const turns: number[] = [];
    for (let nth = 0; nth < 3; nth += 1) {
      const { turnMost } = await turnsWatched(async () => {
        size = await sizeOf(tenant, list);
      });
      turns.push(turnMost);
    }
    assert.ok(size <= PAGE_BYTES, `${size} bytes`);
    assert.ok(Math.min(...turns) < MOST_TURN_MS, `turns of ${turns} ms`);

    const beyond = await mostBeyond(() => Promise.all(Array.from({ length: AT_ONCE }, () => sizeOf(tenant, list))));
    assert.ok(beyond < ROOM_BYTES, `${beyond} bytes more`);

    const pulled: string[] = [];
    for (let after = ''; pulled.length < 20; ) {
      const { body } = await tenant.api('GET', `/v1/events/pull?limit=200${after}`);
      const { bytes, events } = { bytes: Buffer.byteLength(JSON.stringify(body)), events: body.events };
      assert.ok(bytes <= PAGE_BYTES && events.length > 0, `${bytes} bytes in ${events.length} events`);
      pulled.push(...events.filter(isReceipt).map(({ data }: ShownEvent) => data['message_id']));
      after = `&after=${body.next}`;
    }
    assert.equal(new Set(pulled).size, pulled.length);

    const pages = await pagesOf(tenant.api, log, 'messages', 5);
    assert.ok(pages.every(({ bytes }) => bytes <= PAGE_BYTES));
    const ids = pages.flatMap((page) => page.ids);
    assert.deepEqual(ids, [...new Set(ids)].toSorted().toReversed());
    assert.equal(ids.length, 10);
  });
});

eachStore('unpaged lists', (kind) => {
  it('accept a limit, and can be continued from the last entry of a page', { timeout: 600_000 }, async (t) => {
    const gateway = await aGateway(t, { kind });
    const { api, linked } = await gateway.signUp();
    const [device] = [await linked(PHONE), await api('POST', '/v1/sessions', { name: 'Second' })];
    assert.equal((await api('GET', '/v1/sessions?limit=1')).body.sessions.length, 1);

    for (const subject of ['One', 'Two', 'Three'])
      assert.equal((await gateway.during(api('POST', `${device.path}/groups`, { subject, participants: [ANNA] }))).status, 201);
    const groups = (query: string) => gateway.during(api('GET', `${device.path}/groups${query}`));
    const whole = (await groups('')).body;
    assert.deepEqual([whole.groups.length, whole.next_before], [3, null]);
    const first = (await groups('?limit=2')).body;
    const second = (await groups(`?limit=2&before=${first.next_before}`)).body;
    assert.deepEqual([...first.groups, ...second.groups], whole.groups);
    assert.deepEqual([first.groups.length, second.next_before], [2, null]);

    // Offline, so that they wait; two of the longest are more than a page of 200.
    await gateway.during(api('POST', `${device.path}/disconnect`));
    const sent: string[] = [];
    for (const priority of [0, 5, 0, 9, 5, 0]) sent.push(await device.text(ANNA, LONGEST, { connect_only: false, priority }));
    const order = [3, 1, 4, 0, 2, 5].map((nth) => sent[nth]);
    const queued: string[] = [];
    for (let before: string | null = ''; before !== null; ) {
      const { status, body } = await api('GET', `${device.path}/queue${before && `?before=${before}`}`);
      assert.deepEqual([status, body.depth], [200, sent.length]);
      assert.ok(Buffer.byteLength(JSON.stringify(body)) <= PAGE_BYTES);
      queued.push(...body.queue.map(({ id }: { readonly id: string }) => id));
      before = body.next_before;
    }
    assert.deepEqual(queued, order);
  });
});
