import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CredentialStore } from '../../../../actors/network/port.ts';
import { link, logIn } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BUDI = '6281100000003';
const LIST = 'tctoken/__index';

describe("a device's privacy tokens", () => {
  it('are stored one by one, not as one list of all contacts', async (t) => {
    const written = new Set<string>();
    const wrap = (credentialStore: CredentialStore): CredentialStore => ({
      ...credentialStore,
      async commit(secrets) {
        for (const { name } of secrets.fresh) written.add(name);
        await credentialStore.commit(secrets);
      },
    });
    const world = await overThePeer(t, { wrap });
    const shop = await logIn(world, await link(world, SHOP));
    shop.sends('m1', ANNA);
    shop.sends('m2', BUDI);
    await shop.hears('acked', 2);
    await world.pass(10_000);
    shop.connection.close();
    await shop.hears('closed');
    await world.pass(1_000);
    const tokens = [...written].filter((name) => name.startsWith('tctoken/'));
    assert.deepEqual(tokens.toSorted(), [ANNA, BUDI].map((digits) => `tctoken/${world.peer.contact(digits).lid}`).toSorted());
  });

  it('replace the contact list that an earlier version stored', async (t) => {
    const credentialStores: CredentialStore[] = [];
    const wrap = (credentialStore: CredentialStore): CredentialStore => {
      credentialStores.push(credentialStore);
      return credentialStore;
    };
    const world = await overThePeer(t, { wrap });
    const credentials = await link(world, SHOP);
    const credentialStore = credentialStores.at(-1) ?? assert.fail('nothing was stored');
    const { generation } = (await credentialStore.take()) ?? assert.fail('there is no login');
    const token = Buffer.from(JSON.stringify([`${ANNA}@s.whatsapp.net`])).toString('base64');
    await credentialStore.keep(generation, [{ name: LIST, rev: 1, value: JSON.stringify({ token: { $bytes: token } }) }]);
    const shop = await logIn(world, credentials);
    shop.sends('m1', ANNA);
    await shop.hears('acked');
    await world.pass(1_000);
    const taken = (await credentialStore.take()) ?? assert.fail('there is no login');
    const kept = await credentialStore.read(generation, [LIST]);
    assert.equal((taken.fresh.find(({ name }) => name === LIST) ?? kept[0])?.value ?? null, null);
  });
});
