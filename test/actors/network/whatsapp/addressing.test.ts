import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { userJid } from '../../../../actors/network/jid.ts';
import type { Person } from '../../../network-peer/people/person.ts';
import type { Stanza } from '../../../network-peer/stanza.ts';
import { type Ear, link, logIn } from '../world.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

/** What our account is, and whether anybody says so. */
const ACCOUNTS = {
  migrated: { isMigrated: true, tells: true, devicesByNumber: false },
  'not migrated': { isMigrated: false, tells: true, devicesByNumber: false },
  'migrated without notice': { isMigrated: true, tells: false, devicesByNumber: true },
  'migrated without notice, no devices by number': { isMigrated: true, tells: false, devicesByNumber: false },
  'not migrated, without notice': { isMigrated: false, tells: false, devicesByNumber: false },
} as const;
type AccountKind = keyof typeof ACCOUNTS;
const KINDS_OF_ACCOUNT = Object.keys(ACCOUNTS) as AccountKind[];

interface Scene {
  readonly world: PeerWorld;
  readonly shop: Ear;
}

async function aShop(t: TestContext, account: AccountKind): Promise<Scene> {
  const world = await overThePeer(t);
  const { isMigrated, ...how } = ACCOUNTS[account];
  world.peer.phone(SHOP).isMigrated(isMigrated, how);
  const shop = await logIn(world, await link(world, SHOP));
  await shop.catchesUp();
  return { world, shop };
}

const written = (world: PeerWorld, id?: string): readonly Stanza[] =>
  world.peer.journal
    .stanzas({ way: 'up', tag: 'message', ...(id !== undefined && { attrs: { id } }) })
    .map(({ stanza }) => stanza)
    .filter(({ attrs }) => attrs['category'] !== 'peer');
/** The kinds of address under which a message was written, in their order. */
const forms = (world: PeerWorld, id: string): readonly string[] =>
  written(world, id).map(({ attrs: { to = '' } }) => (to.endsWith('@lid') ? 'lid' : 'pn'));
const isHidden = ({ attrs: { to = '' } }: Stanza): boolean => to.endsWith('@lid');

/** Waits until the network has answered to all that was sent, and what follows from it is over. */
async function answered(world: PeerWorld, shop: Ear, count: number): Promise<void> {
  const answers = (): number => shop.all('acked').length + shop.all('refused').length;
  for (let tries = 0; tries < 4_000 && answers() < count; tries += 1) await world.pass(20);
  await world.pass(500);
  assert.equal(answers(), count);
}

/** Sends one text; answers why it was refused, or null. */
async function sends({ world, shop }: Scene, id: string, to: string): Promise<string | null> {
  shop.sends(id, to);
  await answered(world, shop, shop.all('acked').length + shop.all('refused').length + 1);
  return shop.all('refused').find(({ netId }) => netId === id)?.reason ?? null;
}

/**
 * Whose hidden address is known, whose is not, who have no number, who are dialled by other digits than they have, and of these some whose
 * client writes another person's addresses into whatever a client may write.
 */
const KINDS = ['known', 'unknown', 'without number', 'dialled otherwise', 'forging'] as const;

interface Someone {
  readonly kind: (typeof KINDS)[number];
  readonly digits: string;
  /** What the gateway was given to write to. */
  readonly to: string;
}

/** All that a client may write of somebody into the stanza of a message. */
const addressesOf = ({ jid, lid }: Person): Readonly<Record<string, string>> => ({
  ...{ peer_recipient_pn: jid, recipient_pn: jid, peer_recipient_lid: lid, recipient_lid: lid },
});

async function someone({ world }: Scene, kind: Someone['kind'], nth: number): Promise<Someone> {
  const number = (prefix: string, of = kind): string => `${prefix}${KINDS.indexOf(of)}${String(nth).padStart(6, '0')}`;
  const [digits, dialled] = [number('62812'), number('62813')];
  const person = world.peer.contact(digits);
  if (kind === 'without number') person.hidesNumber();
  if (kind === 'dialled otherwise' || kind === 'forging') person.isDialledAs(dialled);
  if (kind === 'known' || kind === 'without number') await person.writes(SHOP, 'hello');
  if (kind === 'forging') await person.writes(SHOP, 'hello', { claims: addressesOf(world.peer.contact(number('62812', 'known'))) });
  const otherwise = { 'without number': person.lid, 'dialled otherwise': dialled, forging: dialled };
  return { kind, digits, to: kind === 'known' || kind === 'unknown' ? digits : otherwise[kind] };
}

/** People of each kind; `ADDRESSING_PEOPLE` makes the story as long as one likes. */
const EACH = Number(process.env['ADDRESSING_PEOPLE'] ?? 8);
const ROUNDS = 2;
/** Fewer than the driver remembers while they wait for their ack. */
const AT_ONCE = 400;

async function sendsAll({ world, shop }: Scene, all: readonly Someone[], round: number): Promise<void> {
  for (let start = 0; start < all.length; start += AT_ONCE) {
    const some = all.slice(start, start + AT_ONCE);
    for (const { digits, to } of some) shop.sends(`m${round} ${digits}`, to);
    await answered(world, shop, round * all.length + start + some.length);
  }
}

function assertFormOf(world: PeerWorld, { attrs }: Stanza, { kind, digits }: Someone, isMigrated: boolean): void {
  const { jid, lid } = world.peer.contact(digits);
  const hasNumber = kind !== 'without number';
  assert.equal(attrs['to'], isMigrated || !hasNumber ? lid : jid, kind);
  assert.equal(attrs['peer_recipient_pn'], isMigrated && hasNumber ? jid : undefined, kind);
}

describe('text messages from an account', () => {
  for (const account of KINDS_OF_ACCOUNT)
    it(`reach each person once, with at most one extra attempt: ${account}`, async (t) => {
      const scene = await aShop(t, account);
      const { world, shop } = scene;
      const all: Someone[] = [];
      for (const kind of KINDS) for (let nth = 0; nth < EACH; nth += 1) all.push(await someone(scene, kind, nth));
      await shop.hears('received', 3 * EACH);
      for (let round = 0; round < ROUNDS; round += 1) {
        await sendsAll(scene, all, round);
      }
      assert.deepEqual(shop.all('refused'), []);
      for (const one of all) {
        const ids = Array.from({ length: ROUNDS }, (_, round) => `m${round} ${one.digits}`);
        assert.ok(ids.every((id) => world.peer.contact(one.digits).arrivals(id) === 1 && written(world, id).length <= 2));
        const [last, ...others] = written(world, ids.at(-1));
        assert.deepEqual(others, [], 'only one form is left once it is learnt');
        assertFormOf(world, last ?? assert.fail('it was not written'), one, ACCOUNTS[account].isMigrated);
      }
      assert.deepEqual([world.peer.ledger.violations, world.peer.journal.events('unreadable')], [[], []]);
    });
});

describe("a message that is refused under one of a person's addresses", () => {
  it('is sent again under the other address, which is then used for all later messages', async (t) => {
    const scene = await aShop(t, 'migrated without notice');
    assert.equal(await sends(scene, 'm1', ANNA), null);
    assert.equal(await sends(scene, 'm2', ANNA), null);
    assert.deepEqual([forms(scene.world, 'm1'), forms(scene.world, 'm2')], [['pn', 'lid'], ['lid']]);
  });

  it('is attempted at most twice', async (t) => {
    const scene = await aShop(t, 'migrated without notice');
    scene.world.peer.fault({ kind: 'refuse-messages', code: 463, phone: SHOP, times: 2 });
    assert.equal(await sends(scene, 'm1', ANNA), 'refused_463');
    assert.deepEqual(forms(scene.world, 'm1'), ['pn', 'lid']);
  });

  it('is not retried while the network restricts sending from this number', async (t) => {
    const scene = await aShop(t, 'migrated without notice');
    scene.world.peer.phone(SHOP).isRestricted({ until: null, reason: 'BIZ_QUALITY' });
    assert.equal(await sends(scene, 'm1', ANNA), 'refused_463');
    assert.deepEqual(forms(scene.world, 'm1'), ['pn']);
  });

  it('is not retried if the person was reached under that address before', async (t) => {
    const scene = await aShop(t, 'not migrated, without notice');
    assert.equal(await sends(scene, 'm1', ANNA), null);
    scene.world.peer.fault({ kind: 'refuse-messages', code: 463, phone: SHOP, times: 1 });
    assert.equal(await sends(scene, 'm2', ANNA), 'refused_463');
    assert.deepEqual(forms(scene.world, 'm2'), ['pn']);
  });

  it('is not retried for other refusals', async (t) => {
    const scene = await aShop(t, 'migrated without notice');
    for (const code of [475, 479, 404]) {
      scene.world.peer.fault({ kind: 'refuse-messages', code, phone: SHOP, times: 1 });
      assert.equal(await sends(scene, `m${code}`, ANNA), `refused_${code}`);
      assert.deepEqual(forms(scene.world, `m${code}`), ['pn']);
    }
  });

  it('is not retried under the number once the account is known to be migrated', async (t) => {
    const scene = await aShop(t, 'migrated');
    scene.world.peer.fault({ kind: 'refuse-messages', code: 400, phone: SHOP, times: 1 });
    assert.equal(await sends(scene, 'm1', ANNA), 'refused_400');
    assert.deepEqual(forms(scene.world, 'm1'), ['lid']);
  });

  it('corrects the stored address form if it was only inferred from an earlier successful send', async (t) => {
    const scene = await aShop(t, 'migrated without notice');
    const { peer } = scene.world;
    assert.equal(await sends(scene, 'm1', ANNA), null);
    peer.phone(SHOP).isMigrated(false, { tells: false });
    const budi = '6281100000003';
    assert.equal(await sends(scene, 'm2', budi), null);
    assert.equal(await sends(scene, 'm3', budi), null);
    assert.deepEqual([forms(scene.world, 'm2'), forms(scene.world, 'm3')], [['lid', 'pn'], ['pn']]);
  });
});

describe("the address form of an account's chats", () => {
  it('is the configured one if detection is disabled', async (t) => {
    const world = await overThePeer(t, { habits: ['history', 'presence'] });
    world.peer.phone(SHOP).isMigrated(true, { devicesByNumber: true });
    const shop = await logIn(world, await link(world, SHOP));
    assert.equal(await sends({ world, shop }, 'm1', ANNA), 'refused_463');
    assert.equal(await sends({ world, shop }, 'm2', world.peer.contact(ANNA).lid), null);
    assert.deepEqual([forms(world, 'm1'), forms(world, 'm2')], [['pn'], ['lid']]);
  });

  it("follows the address form of the person's last message while the account's own form is unknown", async (t) => {
    const world = await overThePeer(t);
    const shop = await logIn(world, await link(world, SHOP));
    const anna = world.peer.contact(ANNA);
    const scene = { world, shop };
    await anna.writes(SHOP, 'hello', { addressing: 'lid' });
    await shop.hears('received');
    await sends(scene, 'm1', ANNA);
    await anna.writes(SHOP, 'hello', { addressing: 'pn' });
    await shop.hears('received', 2);
    await sends(scene, 'm2', ANNA);
    assert.deepEqual([forms(world, 'm1'), forms(world, 'm2')], [['lid'], ['pn']]);
  });

  it("is read from the phone's address list, and survives restarts", async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    const shop = await logIn(world, credentials);
    await sends({ world, shop }, 'm1', ANNA);
    await world.peer.phone(SHOP).listsPeople([ANNA], world.clock.now());
    await world.pass(500);
    await sends({ world, shop }, 'm2', ANNA);
    shop.connection.close();
    await shop.hears('closed');
    world.restart();
    const again = await logIn(world, credentials);
    await sends({ world, shop: again }, 'm3', ANNA);
    assert.deepEqual(
      ['m1', 'm2', 'm3'].map((id) => forms(world, id)),
      [['pn'], ['lid'], ['lid']],
    );
  });

  it('is updated from server properties if the account is migrated later', async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    const shop = await logIn(world, credentials);
    world.peer.phone(SHOP).isMigrated(true);
    shop.connection.close();
    await shop.hears('closed');
    const again = await logIn(world, credentials);
    await again.catchesUp();
    await sends({ world, shop: again }, 'm1', ANNA);
    assert.deepEqual(forms(world, 'm1'), ['lid']);
  });

  it('applies to edits, reactions, deletions and quotes, and to their targets', async (t) => {
    const scene = await aShop(t, 'migrated');
    const { world, shop } = scene;
    const anna = world.peer.contact(ANNA);
    const chat = userJid(ANNA);
    const said = await anna.writes(SHOP, 'hello', { addressing: 'lid' });
    await shop.hears('received');
    await sends(scene, 'm1', ANNA);
    const target = { chat, netId: 'm1', from: null };
    const at = world.clock.now();
    shop.connection.edit({ netId: 'e1', target, body: 'edited', at });
    shop.connection.react({ netId: 'r1', target: { chat, netId: said, from: chat }, emoji: '👍', at });
    shop.connection.erase({ netId: 'd1', target });
    await answered(world, shop, 4);
    assert.deepEqual(
      ['e1', 'r1', 'd1'].map((id) => forms(world, id)),
      [['lid'], ['lid'], ['lid']],
    );
    assert.deepEqual([...anna.shown(said).reactions.keys()], [SHOP]);
    assert.equal(anna.shown('m1').isDeleted, true);
    assert.ok(written(world).every(isHidden));
  });
});
