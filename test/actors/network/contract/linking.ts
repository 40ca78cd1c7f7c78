import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDevice, Ear, finished, link, logIn, type MakeWorld } from '../world.ts';

const ANNA = '6281100000001';
const BUDI = '6281100000002';
const SECOND = 1_000;

/** Linking a device to a phone, and logging in with what that gave. */
export function linking(makeWorld: MakeWorld): void {
  describe('the linking process', () => {
    it('completes when a phone scans the QR code, and then requires a new login', async (t) => {
      const world = await makeWorld(t);
      const ear = new Ear(world, null, 'd1');
      assert.deepEqual(ear.events, [], 'nothing is heard inside open');
      const { qr } = await ear.hears('qr');
      await world.phone(ANNA).scans({ qr });
      assert.equal((await ear.hears('linked')).phone, ANNA);
      assert.equal((await ear.hears('closed')).code, 515);
      assert.deepEqual(
        ear.events.map(({ type }) => type),
        ['qr', 'linked', 'closed'],
      );
    });

    it('creates credentials that survive a JSON round trip', async (t) => {
      const world = await makeWorld(t);
      await world.phone(ANNA).is({ name: 'Anna' });
      const credentials = await link(world, ANNA);
      const ear = new Ear(world, JSON.parse(JSON.stringify(credentials)), 'd1');
      const opened = await ear.hears('opened');
      assert.equal(opened.phone, ANNA);
      assert.equal(await toldOf(ear, 'name', opened.name), 'Anna');
    });

    it('reports an empty about text as empty, not as unknown', async (t) => {
      const world = await makeWorld(t);
      const ear = new Ear(world, await link(world, ANNA), 'd1');
      assert.equal(await toldOf(ear, 'about', (await ear.hears('opened')).about), '');
    });

    it('shows six codes, the first for a minute and the others for 20 s each, and then stops', async (t) => {
      const world = await makeWorld(t);
      const ear = new Ear(world, null, 'd1');
      await ear.hears('qr');
      await world.pass(50 * SECOND);
      assert.equal(ear.all('qr').length, 1);
      await world.pass(20 * SECOND);
      await ear.hears('qr', 2);
      for (let codes = 3; codes <= 6; codes += 1) {
        await world.pass(20 * SECOND);
        await ear.hears('qr', codes);
      }
      await world.pass(20 * SECOND);
      assert.equal((await ear.hears('closed')).code, 408);
      const lives = ear.all('qr').map(({ expiresAt }, i, all) => expiresAt - (all[i - 1]?.expiresAt ?? expiresAt));
      assert.deepEqual(
        lives,
        [0, 20, 20, 20, 20, 20].map((seconds) => seconds * SECOND),
      );
    });

    it('rejects an expired or invented code', async (t) => {
      const world = await makeWorld(t);
      const ear = new Ear(world, null, 'd1');
      const { qr } = await ear.hears('qr');
      await world.pass(61 * SECOND);
      await ear.hears('qr', 2);
      await assert.rejects(world.phone(ANNA).scans({ qr }), { code: 'CONFLICT' });
      await assert.rejects(world.phone(ANNA).scans({ qr: 'made up' }), { code: 'NOT_FOUND' });
      assert.equal(ear.all('linked').length, 0);
    });

    it('accepts a pairing code only on the phone that the code was requested for', async (t) => {
      const world = await makeWorld(t);
      const ear = new Ear(world, null, 'd1');
      await ear.hears('qr');
      const { code } = await finished(world, ear.connection.pairingCode(ANNA));
      assert.match(code, /^[1-9A-Z]{4}-[1-9A-Z]{4}$/);
      await assert.rejects(world.phone(BUDI).scans({ pairingCode: code }), { code: 'NOT_FOUND' });
      await world.phone(ANNA).scans({ pairingCode: code.toLowerCase().replace('-', '') });
      assert.equal((await ear.hears('linked')).phone, ANNA);
      assert.equal((await ear.hears('closed')).code, 515);
    });

    it('issues no pairing code for a linked device', async (t) => {
      const world = await makeWorld(t);
      const ear = await aDevice(world, ANNA);
      await assert.rejects(finished(world, ear.connection.pairingCode(ANNA)), { code: 'CONFLICT' });
    });

    it('links four devices to one phone and rejects the fifth', async (t) => {
      const world = await makeWorld(t);
      for (const deviceId of ['d1', 'd2', 'd3', 'd4']) await logIn(world, await link(world, ANNA, deviceId), deviceId);
      const fifth = new Ear(world, null, 'd5');
      const { qr } = await fifth.hears('qr');
      await assert.rejects(world.phone(ANNA).scans({ qr }), { code: 'CONFLICT' });
    });

    it('rejects used codes and codes from a closed connection', async (t) => {
      const world = await makeWorld(t);
      const closed = new Ear(world, null, 'd1');
      const { qr } = await closed.hears('qr');
      closed.connection.close();
      await closed.hears('closed');
      await assert.rejects(world.phone(ANNA).scans({ qr }), { code: 'NOT_FOUND' });
      const used = await new Ear(world, null, 'd2').hears('qr');
      await world.phone(ANNA).scans({ qr: used.qr });
      await assert.rejects(world.phone(BUDI).scans({ qr: used.qr }), { code: 'NOT_FOUND' });
    });

    it('rejects unreadable credentials', async (t) => {
      const world = await makeWorld(t);
      const ear = new Ear(world, { nonsense: true }, 'd1');
      assert.equal((await ear.hears('closed')).code, 401);
    });
  });
}

/** What the network tells of the number's owner; it may know it only after the login. */
async function toldOf(ear: Ear, what: 'name' | 'about', atLogin: string | null): Promise<string | null> {
  let told = atLogin;
  for (let nth = 1; told === null; nth += 1) told = (await ear.hears('profile', nth))[what];
  return told;
}
