import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { passkeysOf, takesPasskeys } from '../../../../actors/network/passkey.ts';
import { credentialFor } from '../passkeys.ts';
import { Ear, finished, type MakeWorld, type World } from '../world.ts';

const ANNA = '6281100000001';

/** A phone that wants a passkey, and may want a code compared, before it links a device. A driver may have no such step; it then says so. */
export function passkeys(makeWorld: MakeWorld): void {
  describe('passkeys', () => {
    it('are supported only by drivers that declare support', async (t) => {
      const world = await makeWorld(t);
      const ear = new Ear(world, null, 'd1');
      assert.equal(takesPasskeys(ear.connection), world.hasPasskeys);
    });

    it('link the device, after the user confirms the code if one is shown', async (t) => {
      const world = await makeWorld(t);
      if (!world.hasPasskeys) return t.diagnostic('this driver has no passkeys');
      const { ear, connection, options } = await asked(world);
      assert.match(options.challenge, /^[\w-]{16,}$/);
      assert.ok(Array.isArray(options['allowCredentials']), 'an authenticator finds its passkey');
      await refused(world, connection.confirmPasskey(), 'NOT_FOUND');
      await refused(world, connection.answerPasskey(credentialFor('another')), 'VALIDATION_FAILED');
      const good = await world.phone(ANNA).signs(options);
      const unreadable = { ...good, response: { ...good.response, clientDataJSON: 'AAAA' } };
      await refused(world, connection.answerPasskey(unreadable), 'VALIDATION_FAILED');
      await finished(world, connection.answerPasskey(good));
      for (let tries = 0; tries < 400 && ear.all('linked').length + ear.all('passkeyConfirm').length === 0; tries++) await world.pass(5);
      const [shown] = ear.all('passkeyConfirm');
      if (shown) {
        assert.match(shown.code, /^\w{4}-\w{4}$/);
        await refused(world, connection.answerPasskey(good), 'NOT_FOUND');
        assert.equal(ear.all('linked').length, 0);
        await finished(world, connection.confirmPasskey());
      }
      assert.equal((await ear.hears('linked')).phone, ANNA);
      assert.equal((await ear.hears('closed')).code, 515);
    });

    it('expire on time, which closes the connection and prevents further use', async (t) => {
      const world = await makeWorld(t);
      if (!world.hasPasskeys) return t.diagnostic('this driver has no passkeys');
      const { ear, connection, options } = await asked(world);
      const good = await world.phone(ANNA).signs(options);
      await world.pass(Number(options['timeout']) - 10_000);
      assert.equal(ear.all('closed').length, 0);
      assert.equal(ear.all('qr').length, 1, 'no other code is shown meanwhile');
      await world.pass(20_000);
      assert.equal((await ear.hears('closed')).code, 408);
      await refused(world, connection.confirmPasskey(), 'NOT_CONNECTED');
      await refused(world, connection.answerPasskey(good), 'NOT_CONNECTED');
      assert.equal(ear.all('linked').length, 0);
    });
  });
}

async function asked(world: World) {
  await world.phone(ANNA).is({ passkey: true });
  const ear = new Ear(world, null, 'd1');
  const { qr } = await ear.hears('qr');
  const scanning = world.phone(ANNA).scans({ qr });
  scanning.catch(() => {});
  const { options } = await ear.hears('passkeyAsked');
  return { ear, connection: passkeysOf(ear.connection), options };
}

async function refused(world: World, asking: Promise<void>, code: string): Promise<void> {
  await assert.rejects(finished(world, asking), { code });
}
