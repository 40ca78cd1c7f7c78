import assert from 'node:assert/strict';
import { it } from 'node:test';
import { link, logIn } from '../world.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';
import { trustFilesOf } from './trusting.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const MANY = 450;

function said(world: PeerWorld, asFile = false): void {
  const lines = Array.from({ length: MANY }, (_, i) => ({ text: `${i}`, isOurs: i % 3 === 0, at: Date.UTC(2026, 0, 1) + i * 60_000 }));
  world.peer.phone(SHOP).remembers(ANNA, lines, { asFile });
}

it('messages from the time before a device was linked are delivered only on request', async (t) => {
  const world = await overThePeer(t);
  said(world);
  const shop = await logIn(world, await link(world, SHOP));
  await world.pass(5_000);
  await shop.catchesUp();
  assert.deepEqual(shop.all('history'), []);
});

for (const history of [0, 250])
  it(`receipts are sent for each part of the history, with ${history || 'no'} messages imported per chat`, async (t) => {
    const world = await overThePeer(t, { history });
    said(world);
    const shop = await logIn(world, await link(world, SHOP));
    await world.pass(5_000);
    await shop.catchesUp();
    const receipts = world.peer.journal.stanzas({ way: 'up', tag: 'receipt', attrs: { type: 'hist_sync' } });
    assert.deepEqual(
      receipts.map(({ stanza: { attrs } }) => [attrs['to'], attrs['participant']]),
      Array.from({ length: 2 }, () => [`${SHOP}@s.whatsapp.net`, undefined]),
    );
  });

for (const asFile of [false, true]) {
  it(`history batches${asFile ? ' from a file' : ''} contain the newest messages of each chat in order`, async (t) => {
    const world = await overThePeer(t, { history: 250 });
    trustFilesOf(world.peer, t);
    said(world, asFile);
    const credentials = await link(world, SHOP);
    const first = await logIn(world, credentials);
    const { messages, token } = await first.hears('history');
    assert.equal(messages.length, 100);
    const [oldest] = messages;
    assert.deepEqual(
      [oldest?.content, oldest?.isOurs, oldest?.at],
      [{ type: 'text', body: '200' }, false, Date.UTC(2026, 0, 1) + 200 * 60_000],
    );
    assert.deepEqual([oldest?.chat, oldest?.from], [`${ANNA}@s.whatsapp.net`, `${ANNA}@s.whatsapp.net`]);
    first.connection.acknowledge(token);
    await first.hears('history', 2);
    await first.catchesUp();
    assert.equal(first.all('history').length, 2, 'the third waits');
    first.connection.close();
    await first.hears('closed');

    world.restart();
    const second = await logIn(world, credentials);
    for (let part = 1; part <= 3; part += 1) second.connection.acknowledge((await second.hears('history', part)).token);
    const all = second.all('history').flatMap((event) => event.messages.map(({ content }) => content.type === 'text' && content.body));
    assert.deepEqual(
      all,
      Array.from({ length: 250 }, (_, i) => `${200 + i}`),
    );
    await world.pass(1_000);
    second.connection.close();
    await second.hears('closed');
    const third = await logIn(world, credentials);
    await world.pass(5_000);
    await third.catchesUp();
    assert.deepEqual(third.all('history'), [], 'it is told to its end once');
  });
}

it('messages from the same second keep their order when sorted by time', async (t) => {
  const world = await overThePeer(t, { history: 250 });
  const at = Date.UTC(2026, 0, 1);
  world.peer.phone(SHOP).remembers(
    ANNA,
    Array.from({ length: 20 }, (_, nth) => ({ text: `${nth}`, isOurs: nth % 2 === 0, at: at + (nth < 10 ? 0 : 1_000) })),
  );
  const shop = await logIn(world, await link(world, SHOP));
  const { messages } = await shop.hears('history');
  const byTime = messages.toReversed().toSorted((one, other) => one.at - other.at);
  assert.deepEqual(
    byTime.map(({ content }) => content),
    Array.from({ length: 20 }, (_, nth) => ({ type: 'text', body: `${nth}` })),
  );
  assert.deepEqual([byTime[0]?.at, byTime[10]?.at], [at, at + 1_000]);
});
