import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { CredentialStore, Credentials } from '../../../../actors/network/port.ts';
import { Ear, link, logIn } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const NEW_NUMBER = '6281100000002';

/** A world of one device, whose secrets are one credential store's whatever it is linked to. */
async function oneDevice(t: TestContext, around: (credentialStore: CredentialStore) => Partial<CredentialStore> = () => ({})) {
  let ofDevice: CredentialStore | null = null;
  const world = await overThePeer(t, {
    wrap(credentialStore) {
      ofDevice ??= { ...credentialStore, ...around(credentialStore) };
      return ofDevice;
    },
  });
  const credentials = await link(world, SHOP);
  const isAnythingLeft = async (): Promise<boolean> => (await ofDevice?.take()) !== null;
  return { world, credentials, isAnythingLeft };
}

type Device = Awaited<ReturnType<typeof oneDevice>>;

async function isOnline({ world }: Device, credentials: Credentials): Promise<Ear> {
  const ear = await logIn(world, credentials);
  await world.pass(1_000);
  return ear;
}

/** The device is to be linked anew: it shows a code, and belongs to the phone that scans it. */
async function linksTheNewNumber({ world }: Device): Promise<void> {
  const ear = new Ear(world, null, 'next');
  const { qr } = await ear.hears('qr');
  assert.deepEqual(ear.all('linked'), [], 'the old number is not back');
  await world.phone(NEW_NUMBER).scans({ qr });
  const { phone, credentials } = await ear.hears('linked');
  assert.equal(phone, NEW_NUMBER);
  await ear.hears('closed');
  assert.equal((await logIn(world, credentials)).all('opened')[0]?.phone, NEW_NUMBER);
}

describe('a logged-out device', () => {
  it('does not keep credentials if its connection ends before the network confirms the logout', async (t) => {
    const device = await oneDevice(t);
    const ear = await isOnline(device, device.credentials);
    ear.connection.logOut().catch(() => {});
    ear.connection.close();
    await ear.hears('closed');
    assert.equal(await device.isAnythingLeft(), false);
    await linksTheNewNumber(device);
  });

  it('does not reconnect with credentials left by a process that crashed before it destroyed them', async (t) => {
    const device = await oneDevice(t, () => ({}));
    const ear = await isOnline(device, device.credentials);
    ear.connection.close();
    await ear.hears('closed');
    device.world.restart();
    await linksTheNewNumber(device);
  });

  it('does not reconnect with credentials from an earlier version, which did not record their use', async (t) => {
    const device = await oneDevice(t, ({ commit }) => ({
      commit: (stored) =>
        commit({
          ...stored,
          fresh: stored.fresh.map((entry) => ({ ...entry, value: entry.value?.replace(',"isUsed":true', '') ?? null })),
        }),
    }));
    const ear = await isOnline(device, device.credentials);
    ear.connection.close();
    await ear.hears('closed');
    await linksTheNewNumber(device);
  });

  it('leaves a newer link intact, no matter how late the old credentials are destroyed', async (t) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isHeld = true;
    const device = await oneDevice(t, ({ destroy }) => ({
      async destroy(generation) {
        const waits = isHeld;
        isHeld = false;
        if (waits) await promise;
        await destroy(generation);
      },
    }));
    const ear = await isOnline(device, device.credentials);
    ear.connection.logOut().catch(() => {});
    ear.connection.close();
    await linksTheNewNumber(device);
    resolve();
    await ear.hears('closed');
    assert.equal(await device.isAnythingLeft(), true);
  });
});

describe('a device linked by a phone', () => {
  it('keeps that link if its process crashed before it reported the link', async (t) => {
    const { world, credentials } = await oneDevice(t);
    world.restart();
    const ear = new Ear(world, null, 'd');
    assert.equal((await ear.hears('linked')).phone, SHOP);
    await ear.hears('closed');
    await logIn(world, credentials);
  });
});
