import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AccountFact } from '../../../../actors/network/account.ts';
import { aDevice, type Ear, finished, link, logIn, type MakeWorld, type World } from '../world.ts';
import { asked } from './groups.ts';

const OWN = '6281100000001';
const ANNA = '6281211110001';
const BUDI = '6281211110002';
const NOBODY = '6281211110003';
const JPEG = Buffer.from('ffd8ffe000104a46494600ffd9', 'hex').toString('base64');

/** What was told of the account so far, in its order. */
export const factsTold = (ear: Ear) => ear.all('facts').flatMap(({ facts }) => facts);

async function tells(world: World, ear: Ear, count: number): Promise<readonly AccountFact[]> {
  for (let tries = 0; tries < 200 && factsTold(ear).length < count; tries += 1) await world.pass(5);
  await ear.catchesUp();
  const facts = factsTold(ear) as readonly AccountFact[];
  assert.equal(facts.length, count, JSON.stringify(facts));
  return facts;
}

const shown = ({ phone }: { readonly phone: string | null }) => phone;

/** What an account says of itself, whom it blocks, and what others show. */
export function account(makeWorld: MakeWorld): void {
  describe('the account', () => {
    it('can change its name and about text, and reports the change to every device of the number', async (t) => {
      const world = await makeWorld(t);
      await world.phone(OWN).is({ name: 'Shop' });
      const [one, two] = [await aDevice(world, OWN), await logIn(world, await link(world, OWN, 'second'), 'second')];
      await world.pass(200);
      const changed = await asked(world, one, 'account.set', { name: 'Toko Acme', about: 'Open' });
      assert.deepEqual(changed, { name: 'Toko Acme', about: 'Open' });
      assert.deepEqual(await asked(world, one, 'account.get', {}), changed);
      for (const ear of [one, two]) {
        for (let tries = 0; tries < 200 && !ear.all('profile').some(({ name }) => name === 'Toko Acme'); tries += 1) await world.pass(5);
        const news = factsTold(ear).map((fact) => ('changed' in fact ? fact.changed : {}));
        const { name, about } = Object.assign({}, ...news) as Record<string, unknown>;
        assert.deepEqual([name, about], ['Toko Acme', 'Open']);
      }
    });

    it('shows its picture to others until it removes the picture, and cannot use an invalid one', async (t) => {
      const world = await makeWorld(t);
      world.trustFiles?.();
      const [own, anna] = [await aDevice(world, OWN), await aDevice(world, ANNA)];
      await assert.rejects(asked(world, own, 'account.setPicture', { jpeg: 'AAAA' }), { code: 'VALIDATION_FAILED' });
      await asked(world, own, 'account.setPicture', { jpeg: JPEG });
      assert.equal((await asked(world, anna, 'people.get', { phone: OWN })).picture, JPEG);
      assert.equal((await asked(world, own, 'people.get', { phone: OWN })).picture, JPEG);
      await asked(world, own, 'account.removePicture', {});
      assert.equal((await asked(world, anna, 'people.get', { phone: OWN })).picture, null);
      const facts = await tells(world, own, 2);
      assert.deepEqual(
        facts.map((fact) => 'changed' in fact && fact.changed),
        [{ picture: true }, { picture: false }],
      );
    });

    it('can change its privacy settings and default timer', async (t) => {
      const world = await makeWorld(t);
      const own = await aDevice(world, OWN);
      const before = await asked(world, own, 'account.privacy', {});
      assert.deepEqual([before.last_seen, before.read_receipts, before.default_timer], ['all', true, 0]);
      const changes = { last_seen: 'contacts', online: 'contacts', picture: 'none', groups: 'contacts', calls: 'contacts' } as const;
      const after = await asked(world, own, 'account.setPrivacy', { ...changes, read_receipts: false, default_timer: 86_400 });
      assert.deepEqual(after, { ...before, ...changes, read_receipts: false, default_timer: 86_400 });
      assert.deepEqual(await asked(world, own, 'account.privacy', {}), after);
    });

    it('can block and unblock a person under both addresses, and reports each change only once', async (t) => {
      const world = await makeWorld(t);
      const own = await aDevice(world, OWN);
      assert.deepEqual(await asked(world, own, 'blocklist.list', {}), []);
      for (const _again of [1, 2]) {
        assert.deepEqual((await asked(world, own, 'blocklist.set', { phone: ANNA, blocked: true })).map(shown), [ANNA]);
      }
      assert.deepEqual((await asked(world, own, 'blocklist.set', { phone: BUDI, blocked: true })).map(shown), [ANNA, BUDI]);
      for (const _again of [1, 2]) {
        assert.deepEqual((await asked(world, own, 'blocklist.set', { phone: ANNA, blocked: false })).map(shown), [BUDI]);
      }
      assert.deepEqual((await asked(world, own, 'blocklist.list', {})).map(shown), [BUDI]);
      const facts = await tells(world, own, 3);
      const moves = facts.map((fact) => 'blocked' in fact && [fact.blocked.map(shown), fact.unblocked.map(shown)]);
      assert.deepEqual(moves, [
        [[ANNA], []],
        [[BUDI], []],
        [[], [ANNA]],
      ]);
      await world.phone(NOBODY).is({ onNetwork: false });
      await assert.rejects(asked(world, own, 'blocklist.set', { phone: NOBODY, blocked: true }), { code: 'NOT_FOUND' });
    });

    it("can look up another person's about text unless it is hidden, and whether they are a business", async (t) => {
      const world = await makeWorld(t);
      const own = await aDevice(world, OWN);
      await world.phone(ANNA).is({ about: 'At work', business: true });
      const anna = await asked(world, own, 'people.get', { phone: ANNA });
      assert.deepEqual([anna.person.phone, anna.about, anna.picture, anna.business?.websites], [ANNA, 'At work', null, []]);
      await world.phone(ANNA).is({ about: null });
      assert.equal((await asked(world, own, 'people.get', { phone: ANNA })).about, null);
      await world.phone(NOBODY).is({ onNetwork: false });
      await assert.rejects(asked(world, own, 'people.get', { phone: NOBODY }), { code: 'NOT_FOUND' });
    });

    it('can have a business profile with two websites and opening hours, and can clear each of them', async (t) => {
      const world = await makeWorld(t);
      await world.phone(OWN).is({ business: true });
      const own = await aDevice(world, OWN);
      const hours = {
        timezone: 'Asia/Jakarta',
        days: [
          { day: 1, open: '08:00', close: '17:30' },
          { day: 6, open: '00:00', close: '24:00' },
        ],
      };
      const websites = ['https://one.example', 'https://two.example'];
      const given = { address: 'Jalan Merdeka 1', description: 'Batik', email: 'shop@acme.example', websites, hours };
      const after = await asked(world, own, 'business.set', given);
      const { categories, category_names, ...rest } = after;
      assert.deepEqual(rest, given);
      assert.deepEqual(await asked(world, own, 'business.get', {}), after);
      const cleared = await asked(world, own, 'business.set', { websites: [], hours: null, email: null });
      assert.deepEqual([cleared.websites, cleared.hours, cleared.email, cleared.address], [[], null, null, given.address]);
    });

    it('can reject an incoming call', async (t) => {
      const world = await makeWorld(t);
      const own = await aDevice(world, OWN);
      const id = await world.phone(ANNA).calls(OWN);
      const { from } = await own.hears('call');
      assert.equal(await world.phone(ANNA).rings(id), true);
      await asked(world, own, 'calls.reject', { callId: id, from });
      await own.catchesUp();
      assert.equal(await world.phone(ANNA).rings(id), false);
    });

    it('reports each change again at login until it is acknowledged', async (t) => {
      const world = await makeWorld(t);
      const credentials = await link(world, OWN);
      const first = await logIn(world, credentials);
      await asked(world, first, 'blocklist.set', { phone: ANNA, blocked: true });
      const [told] = [await first.hears('facts')];
      first.connection.close();
      await first.hears('closed');
      const second = await logIn(world, credentials);
      const again = await second.hears('facts');
      assert.deepEqual([again.token, again.facts], [told.token, told.facts]);
      second.connection.acknowledge(again.token);
      await second.catchesUp();
      second.connection.close();
      await second.hears('closed');
      const third = await logIn(world, credentials);
      await world.pass(200);
      await third.catchesUp();
      assert.deepEqual(third.all('facts'), []);
    });

    it('rejects queries once the connection is closed', async (t) => {
      const world = await makeWorld(t);
      const own = await aDevice(world, OWN);
      own.connection.close();
      await own.hears('closed');
      assert.ok(own.connection.ask);
      await assert.rejects(finished(world, own.connection.ask('account.get', {})), { code: 'NOT_CONNECTED' });
    });
  });
}
