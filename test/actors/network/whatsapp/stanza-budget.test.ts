import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDevice, link, logIn } from '../world.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const SETTLED_MS = 10_000;
const RECIPIENTS = 20;
const DEVICE = `device-${SHOP}`;

/** Stanzas that clients write while `act` goes on: `iq` by namespace, everything else by tag. Many questions in a row are how numbers get banned. */
async function written(world: PeerWorld, act: () => Promise<void>): Promise<ReadonlyMap<string, number>> {
  const { journal } = world.peer;
  const since = journal.entries.at(-1)?.seq ?? 0;
  await act();
  await world.pass(SETTLED_MS);
  const counts = new Map<string, number>();
  for (const entry of journal.entries) {
    if (entry.kind !== 'stanza' || entry.way !== 'up' || entry.seq <= since) continue;
    const { tag, attrs } = entry.stanza;
    const name = tag === 'iq' ? `iq ${attrs['xmlns'] ?? attrs['type']}` : tag;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Keep-alives come by the clock. */
const questionsOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts].reduce((sum, [name, n]) => (name.startsWith('iq ') && name !== 'iq w:p' ? sum + n : sum), 0);

const totalOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, n) => sum + n, 0);

describe('a device', () => {
  for (const isMigrated of [true, false])
    it(`sends at most four queries for a new recipient and none for a known one, ${isMigrated ? 'by hidden address' : 'by number'}`, async (t) => {
      const world = await overThePeer(t);
      world.peer.phone(SHOP).isMigrated(isMigrated, { tells: true, devicesByNumber: false });
      const shop = await aDevice(world, SHOP);
      await world.pass(SETTLED_MS);
      const sending = (ids: readonly (readonly [id: string, to: string])[], acks: number) =>
        written(world, async () => {
          for (const [id, to] of ids) shop.sends(id, to);
          await shop.hears('acked', acks);
        });
      const first = await sending([['m1', ANNA]], 1);
      assert.ok(questionsOf(first) <= 4 && totalOf(first) <= 6, shown(first));
      const warm = await sending([['m2', ANNA]], 2);
      assert.deepEqual([questionsOf(warm), warm.get('message')], [0, 1], shown(warm));
      const recipients = Array.from({ length: RECIPIENTS }, (_, nth) => [`c${nth}`, `62812000${String(nth).padStart(5, '0')}`] as const);
      const campaign = await sending(recipients, 2 + RECIPIENTS);
      assert.equal(campaign.get('message'), RECIPIENTS);
      assert.ok(questionsOf(campaign) <= 4 * RECIPIENTS && totalOf(campaign) <= 6 * RECIPIENTS, shown(campaign));
    });

  it('sends at most sixteen stanzas per login, no matter how many people it knows', async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    const shop = await logIn(world, credentials, DEVICE);
    for (let nth = 0; nth < RECIPIENTS; nth += 1) shop.sends(`c${nth}`, `62812000${String(nth).padStart(5, '0')}`);
    await shop.hears('acked', RECIPIENTS);
    await world.pass(SETTLED_MS);
    world.peer.cut(SHOP);
    const { credentials: latest } = shop.all('credentials').at(-1) ?? { credentials };
    const login = await written(world, async () => void (await logIn(world, latest, DEVICE)));
    assert.ok(totalOf(login) <= 16, shown(login));
  });
});

const shown = (counts: ReadonlyMap<string, number>): string => JSON.stringify(Object.fromEntries(counts));
