import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { passkeysOf } from '../../../../actors/network/passkey.ts';
import type { AccountPasskey } from '../../../network-peer/server/passkeys.ts';
import { Ear, finished, logIn } from '../world.ts';
import { signedBy, wantsPasskey } from './peer-person.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const MINUTE = 60_000;

describe('linking with a passkey over the WhatsApp protocol', () => {
  it('needs no code comparison if the phone saw the code, and leads to a working login', async (t) => {
    const { world, ear, connection, phone, options } = await asked(t);
    await finished(world, connection.answerPasskey(signedBy(phone, options)));
    const { credentials } = await ear.hears('linked');
    assert.equal((await ear.hears('closed')).code, 515);
    assert.equal(ear.all('passkeyConfirm').length, 0);
    assert.deepEqual(
      world.peer.journal.events('passkey-linked').map(({ facts }) => facts['isProven']),
      [true],
    );
    await logIn(world, credentials);
    assert.deepEqual(world.peer.ledger.violations, []);
    const acks = world.peer.journal.stanzas({ way: 'up', tag: 'ack', attrs: { class: 'notification', type: 'passkey_prologue_request' } });
    assert.equal(acks.length, 1, 'acknowledged once');
  });

  it("shows the phone's code for comparison once the proof has expired", async (t) => {
    const { world, ear, connection, phone, options } = await asked(t);
    await world.pass(6 * MINUTE);
    await finished(world, connection.answerPasskey(signedBy(phone, options)));
    const { code } = await ear.hears('passkeyConfirm');
    assert.equal(code, phone.account.passkeyCode);
    assert.equal(ear.all('linked').length, 0);
    await finished(world, connection.confirmPasskey());
    await ear.hears('linked');
    assert.deepEqual(
      world.peer.journal.events('passkey-linked').map(({ facts }) => facts['isProven']),
      [false],
    );
  });

  it('works with a pairing code instead of a QR code', async (t) => {
    const { world, ear, phone } = await aShyPhone(t);
    await ear.hears('qr');
    const { code } = await finished(world, ear.connection.pairingCode(SHOP));
    const typing = world.phone(SHOP).scans({ pairingCode: code });
    typing.catch(() => {});
    const { options } = await ear.hears('passkeyAsked');
    await finished(world, passkeysOf(ear.connection).answerPasskey(signedBy(phone, options)));
    assert.equal((await ear.hears('linked')).phone, SHOP);
  });

  it('requests the passkey options if the notice does not contain them', async (t) => {
    const { world, ear, connection, phone, options } = await asked(t, { isBare: true });
    await finished(world, connection.answerPasskey(signedBy(phone, options)));
    await ear.hears('linked');
  });

  it('allows another attempt after every refusal', async (t) => {
    const { world, ear, connection, phone, options } = await asked(t, {
      refuses: ['ref', 'passkey_prologue', 'encrypted_pairing_request'],
    });
    const refused = async (unlike: Parameters<typeof signedBy>[2]) =>
      assert.rejects(finished(world, connection.answerPasskey(signedBy(phone, options, unlike))), { code: 'VALIDATION_FAILED' });
    await refused({});
    await refused({});
    await refused({ origin: 'https://gateway.example.com' });
    await refused({ rpId: 'example.com' });
    await refused({ isVerified: false });
    await finished(world, connection.answerPasskey(signedBy(phone, options)));
    // The network refused that it confirmed by itself: a person does.
    const { code } = await ear.hears('passkeyConfirm');
    assert.equal(code, phone.account.passkeyCode);
    await finished(world, connection.confirmPasskey());
    await ear.hears('linked');
    const why = world.peer.journal.events('passkey-refused').map(({ facts }) => facts['why']);
    assert.deepEqual(why, ['Error: another origin', 'Error: another relying party', 'Error: nobody was verified']);
  });

  it('accepts one passkey at a time, and none while waiting for the phone', async (t) => {
    const { world, ear, connection, phone, options } = await asked(t, { waits: true });
    const first = connection.answerPasskey(signedBy(phone, options));
    await assert.rejects(connection.answerPasskey(signedBy(phone, options)), { code: 'CONFLICT' });
    await finished(world, first);
    await assert.rejects(connection.answerPasskey(signedBy(phone, options)), { code: 'NOT_FOUND' });
    await assert.rejects(connection.confirmPasskey(), { code: 'NOT_FOUND' });
    phone.approvesPasskey();
    await ear.hears('linked');
  });

  it('starts over in a new process, where the old passkey is no longer valid', async (t) => {
    const { world, phone, options } = await asked(t);
    const old = signedBy(phone, options);
    world.restart();
    const again = await scanned(world);
    assert.notEqual(again.options.challenge, options.challenge);
    await assert.rejects(finished(world, again.connection.answerPasskey(old)), { code: 'VALIDATION_FAILED' });
    await finished(world, again.connection.answerPasskey(signedBy(phone, again.options)));
    await again.ear.hears('linked');
  });
});

type PeerWorld = Awaited<ReturnType<typeof overThePeer>>;

async function aShyPhone(t: TestContext, how: Omit<AccountPasskey, 'id' | 'publicKey'> = {}) {
  const world = await overThePeer(t);
  const phone = world.peer.phone(SHOP);
  wantsPasskey(phone, how);
  return { world, phone, ear: new Ear(world, null, 'd1') };
}

async function asked(t: TestContext, how: Omit<AccountPasskey, 'id' | 'publicKey'> = {}) {
  const { world, phone, ear } = await aShyPhone(t, how);
  return { world, phone, ...(await scanned(world, ear)) };
}

async function scanned(world: PeerWorld, ear = new Ear(world, null, 'd1')) {
  const { qr } = await ear.hears('qr');
  const scanning = world.phone(SHOP).scans({ qr });
  scanning.catch(() => {});
  const { options } = await ear.hears('passkeyAsked');
  return { ear, connection: passkeysOf(ear.connection), options };
}
