import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { userJid } from '../../../../actors/network/jid.ts';
import type { CredentialStore } from '../../../../actors/network/port.ts';
import { factsTold } from '../contract/account.ts';
import { asked } from '../contract/groups.ts';
import { Ear, link, logIn } from '../world.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

async function aLabelledShop(t: Parameters<typeof overThePeer>[0]) {
  const world = await overThePeer(t);
  const credentials = await link(world, SHOP);
  const ear = await withKeys(world, await logIn(world, credentials));
  return { world, credentials, ear, shop: world.peer.phone(SHOP) };
}

async function withKeys(world: PeerWorld, ear: Ear): Promise<Ear> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await asked(world, ear, 'capabilities', {})).labels === true) return ear;
    await world.pass(20);
  }
  return assert.fail('the phone never sent its keys');
}

/** The store is down for a moment when keys are to be stored. */
function failsAtKeys(credentialStore: CredentialStore): CredentialStore {
  let fails = 1;
  return {
    ...credentialStore,
    async commit(stored) {
      const brings = stored.fresh.some(({ name }) => name.startsWith('app-state-sync-key/'));
      if (!brings || fails === 0) return credentialStore.commit(stored);
      fails -= 1;
      throw new Error('the store is down for a moment');
    },
  };
}

const namesOn = ({ app }: ReturnType<PeerWorld['peer']['phone']>) => app.labels.map(({ id, name }) => `${id} ${name}`);

describe('labels shared by all devices of a number', () => {
  it('are available even if the store failed when the phone sent its keys', async (t) => {
    const world = await overThePeer(t, { wrap: failsAtKeys });
    const credentials = await link(world, SHOP);
    assert.equal((await new Ear(world, credentials, 'device').hears('closed')).code, 500);
    await withKeys(world, await logIn(world, credentials));
  });

  it("are signed with the phone's latest keys, even while earlier ones are pending", async (t) => {
    const world = await overThePeer(t, { wrap: failsAtKeys });
    const credentials = await link(world, SHOP);
    await new Ear(world, credentials, 'device').hears('closed');
    const shop = world.peer.phone(SHOP);
    await shop.renewsSettingsKey();
    const ear = await withKeys(world, await logIn(world, credentials));
    await world.pass(1_000);
    await asked(world, ear, 'labels.create', { name: 'Paid', color: 1 });
    assert.deepEqual(namesOn(shop), ['1 Paid']);
  });

  it('are assigned under the kind of address that the phone uses, but reported with the phone number', async (t) => {
    const { world, ear, shop } = await aLabelledShop(t);
    await asked(world, ear, 'labels.create', { name: 'Paid', color: 1 });
    await asked(world, ear, 'labels.mark', { id: '1', chat: userJid(ANNA), labelled: true });
    assert.deepEqual(shop.app.labels[0]?.chats, [ANNA]);
    shop.app.marks('1', ANNA, false);
    for (let tries = 0; tries < 200 && factsTold(ear).length < 3; tries += 1) await world.pass(20);
    const chat = { chat_id: userJid(ANNA), phone: ANNA, lid: world.peer.phone(ANNA).lid };
    assert.deepEqual(factsTold(ear)[2], { fact: 'label.unassigned', label_id: '1', chat });
  });

  it('get another id instead of overwriting a label that the phone created at the same time', async (t) => {
    const { world, ear, shop } = await aLabelledShop(t);
    const { settings } = shop.account;
    const push = settings.push.bind(settings);
    settings.push = (...patch) => {
      settings.push = push;
      shop.app.setsLabel('1', { name: 'By hand', color: 4 });
      return push(...patch);
    };
    assert.equal((await asked(world, ear, 'labels.create', { name: 'Paid', color: 1 })).id, '2');
    assert.deepEqual(namesOn(shop), ['1 By hand', '2 Paid']);
    assert.deepEqual(world.peer.journal.events('violation'), []);
  });

  it('report an unanswered change as unknown, and publish it once it is found on the phone', async (t) => {
    const { world, ear, shop } = await aLabelledShop(t);
    const { settings } = shop.account;
    const push = settings.push.bind(settings);
    settings.push = (...patch) => {
      settings.push = push;
      world.peer.fault({ kind: 'drop', way: 'down', tag: 'iq', phone: SHOP, times: 1 });
      return push(...patch);
    };
    const lost = assert.rejects(ear.connection.ask!('labels.create', { name: 'Paid', color: 1 }), { code: 'DEVICE_TIMEOUT' });
    while (settings.push !== push) await world.pass(20);
    await world.pass(15_000);
    await lost;
    for (let tries = 0; tries < 200 && factsTold(ear).length === 0; tries += 1) await world.pass(20);
    assert.deepEqual(namesOn(shop), ['1 Paid']);
    assert.deepEqual(factsTold(ear), [{ fact: 'label.updated', label: { id: '1', name: 'Paid', color: 1 } }]);
    assert.equal((await asked(world, ear, 'labels.list', {})).length, 1);
  });

  it('report a change again after a crash until the change is acknowledged', async (t) => {
    const { world, credentials, ear, shop } = await aLabelledShop(t);
    shop.app.setsLabel('7', { name: 'By hand', color: 4 });
    const first = await ear.hears('facts');
    world.restart();
    await ear.hears('closed');
    const second = await logIn(world, credentials);
    const again = await second.hears('facts');
    assert.deepEqual([again.token, again.facts], [first.token, first.facts]);
    second.connection.acknowledge(again.token);
    await second.catchesUp();
    world.restart();
    await second.hears('closed');
    const third = await withKeys(world, await logIn(world, credentials));
    await world.pass(500);
    assert.deepEqual(third.all('facts'), []);
    assert.equal((await asked(world, third, 'labels.create', { name: 'Next', color: 0 })).id, '8');
    assert.deepEqual(world.peer.journal.events('violation'), []);
  });

  it('ignore changes that are not signed by a device of the account', async (t) => {
    const { world, ear, shop } = await aLabelledShop(t);
    shop.account.settings.forges = true;
    shop.app.setsLabel('1', { name: 'Forged', color: 4 });
    await world.pass(200);
    await assert.rejects(asked(world, ear, 'labels.create', { name: 'Paid', color: 1 }), { code: 'CONFLICT' });
    assert.deepEqual([await asked(world, ear, 'labels.list', {}), factsTold(ear)], [[], []]);
    assert.deepEqual(world.peer.journal.events('violation'), []);
  });
});
