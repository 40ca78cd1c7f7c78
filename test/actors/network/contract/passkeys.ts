import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { passkeysOf, takesPasskeys } from '../../../../actors/network/passkey.ts';
import { credentialFor } from '../passkeys.ts';
import { Ear, finished, type MakeWorld, type World } from '../world.ts';

const ANNA = '6281100000001';
const MINUTE = 60_000;

/** A phone that wants a passkey, and a code compared, before it links a device. A driver may have no such step; it then says so. */
export function passkeys(makeWorld: MakeWorld): void {
  describe('passkeys', () => {
    it('are a step of this driver, or are not, as it says', async (t) => {
      const world = await makeWorld(t);
      const ear = new Ear(world, null, 'd1');
      assert.equal(takesPasskeys(ear.connection), world.hasPasskeys);
    });

    it('links the device after the passkey that was asked for, and a code that was compared', async (t) => {
      const world = await makeWorld(t);
      if (!world.hasPasskeys) return t.diagnostic('this driver has no passkeys');
      const { ear, connection, options } = await asked(world);
      assert.match(options.challenge, /^[\w-]{16,}$/);
      await refused(world, connection.confirmPasskey(), 'NOT_FOUND');
      await refused(world, connection.answerPasskey(credentialFor('another')), 'VALIDATION_FAILED');
      const unreadable = {
        ...credentialFor(options.challenge),
        response: { clientDataJSON: 'AAAA', authenticatorData: 'A', signature: 'A' },
      };
      await refused(world, connection.answerPasskey(unreadable), 'VALIDATION_FAILED');
      await finished(world, connection.answerPasskey(credentialFor(options.challenge)));
      const { code } = await ear.hears('passkeyConfirm');
      assert.ok(code.length >= 4 && code.length <= 16);
      await refused(world, connection.answerPasskey(credentialFor(options.challenge)), 'NOT_FOUND');
      assert.equal(ear.all('linked').length, 0);
      await finished(world, connection.confirmPasskey());
      assert.equal((await ear.hears('linked')).phone, ANNA);
      assert.equal((await ear.hears('closed')).code, 515);
    });

    it('waits a minute for each step, then closes; a closed connection takes nothing', async (t) => {
      const world = await makeWorld(t);
      if (!world.hasPasskeys) return t.diagnostic('this driver has no passkeys');
      const { ear, connection, options } = await asked(world);
      await world.pass(50_000);
      await finished(world, connection.answerPasskey(credentialFor(options.challenge)));
      await ear.hears('passkeyConfirm');
      await world.pass(50_000);
      assert.equal(ear.all('closed').length, 0);
      await world.pass(MINUTE);
      assert.equal((await ear.hears('closed')).code, 408);
      await refused(world, connection.confirmPasskey(), 'NOT_CONNECTED');
      await refused(world, connection.answerPasskey(credentialFor(options.challenge)), 'NOT_CONNECTED');
      assert.equal(ear.all('linked').length, 0);
    });
  });
}

async function asked(world: World) {
  await world.phone(ANNA).is({ passkey: true });
  const ear = new Ear(world, null, 'd1');
  const { qr } = await ear.hears('qr');
  await world.phone(ANNA).scans({ qr });
  const { options } = await ear.hears('passkeyAsked');
  return { ear, connection: passkeysOf(ear.connection), options };
}

async function refused(world: World, asking: Promise<void>, code: string): Promise<void> {
  await assert.rejects(finished(world, asking), { code });
}
