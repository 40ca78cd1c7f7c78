import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CredentialStore } from '../../../../actors/network/port.ts';
import { aDevice, Ear, link, logIn } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';

/** A credential store whose writes can be held back, or fail. */
class Bolt {
  #held: Promise<void> = Promise.resolve();
  #isDown = false;
  open: () => void = () => {};

  close(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    this.open = resolve;
  }

  breaks(): void {
    this.#isDown = true;
  }

  mends(): void {
    this.#isDown = false;
  }

  readonly wrap = (credentialStore: CredentialStore): CredentialStore => ({
    ...credentialStore,
    commit: async (credentialBuffer) => {
      await this.#held;
      if (this.#isDown) throw new Error('the store is down');
      await credentialStore.commit(credentialBuffer);
    },
    take: async () => {
      if (this.#isDown) throw new Error('the store is down');
      return credentialStore.take();
    },
  });
}

describe('device credentials in the WhatsApp driver', () => {
  it('are stored before a message encrypted with them is sent', async (t) => {
    const bolt = new Bolt();
    const world = await overThePeer(t, bolt);
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA);
    await shop.hears('receipt', 2);
    await world.pass(1_000);
    bolt.close();
    shop.sends('m2', ANNA);
    await world.pass(1_000);
    assert.deepEqual(world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: 'm2' } }), []);
    bolt.open();
    await shop.hears('acked', 2);
  });

  it('include the 812 pre-keys of a new link, each stored only once', async (t) => {
    const kept: string[] = [];
    const wrap = (credentialStore: CredentialStore): CredentialStore => ({
      ...credentialStore,
      keep: (generation, entries) => {
        kept.push(...entries.filter(({ name, value }) => name.startsWith('pre-key/') && value !== null).map(({ name }) => name));
        return credentialStore.keep(generation, entries);
      },
    });
    const world = await overThePeer(t, { wrap });
    const shop = await aDevice(world, SHOP);
    await world.pass(1_000);
    assert.deepEqual([kept.length, new Set(kept).size], [812, 812]);
    shop.sends('m1', ANNA);
    await shop.hears('acked');
    assert.deepEqual(world.peer.ledger.violations, []);
  });

  it('close the connection if they cannot be stored, before any encrypted message is sent', async (t) => {
    const bolt = new Bolt();
    const world = await overThePeer(t, bolt);
    const credentials = await link(world, SHOP);
    const shop = await logIn(world, credentials);
    await world.pass(1_000);
    bolt.breaks();
    shop.sends('m1', ANNA);
    assert.equal((await shop.hears('closed')).code, 500);
    assert.deepEqual(world.peer.journal.stanzas({ way: 'up', tag: 'message', attrs: { id: 'm1' } }), []);
    const early = new Ear(world, credentials, 'd');
    assert.equal((await early.hears('closed')).code, 500, 'what cannot be read is not taken for absent');
    bolt.mends();
    const again = await logIn(world, credentials);
    again.sends('m1', ANNA);
    await again.hears('acked');
    assert.deepEqual(world.peer.ledger.violations, []);
    assert.equal((await world.phone(ANNA).shows()).length, 1);
  });

  it('include incoming messages until these are stored, even if the network would not resend them', async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    const first = await logIn(world, credentials);
    const netId = await world.phone(ANNA).writes(SHOP, 'STOP');
    await first.hears('received');
    await world.pass(1_000);
    first.connection.close();
    await first.hears('closed');
    for (const { mailbox } of world.peer.phone(SHOP).linked) mailbox.takeMessage(netId);
    const second = await logIn(world, credentials);
    const { message } = await second.hears('received');
    assert.deepEqual([message.netId, message.content], [netId, { type: 'text', body: 'STOP' }]);
    second.connection.acknowledge(netId);
    await world.pass(1_000);
    await second.catchesUp();
    second.connection.close();
    await second.hears('closed');
    const third = await logIn(world, credentials);
    await world.pass(1_000);
    await third.catchesUp();
    assert.deepEqual(third.all('received'), []);
  });

  it('let the next process acknowledge messages that were decrypted before a crash', async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    const first = await logIn(world, credentials);
    const netId = await world.phone(ANNA).writes(SHOP, 'STOP');
    await first.hears('received');
    await world.pass(1_000);
    first.connection.close();
    await first.hears('closed');
    const second = new Ear(
      world,
      credentials,
      'd',
      (event) => event.type === 'received' && second.connection.acknowledge(event.message.netId),
    );
    await second.hears('opened');
    await world.pass(1_000);
    await second.catchesUp();
    assert.equal(world.peer.journal.stanzas({ way: 'up', tag: 'receipt', attrs: { id: netId } }).length, 1);
  });

  it('are reused by the next process, which therefore starts no new session', async (t) => {
    const world = await overThePeer(t);
    const credentials = await link(world, SHOP);
    const first = await logIn(world, credentials);
    first.sends('m1', ANNA);
    await first.hears('receipt', 2);
    await world.phone(ANNA).writes(SHOP, 'warm');
    first.connection.acknowledge((await first.hears('received')).message.netId);
    await world.pass(1_000);
    world.restart();
    world.peer.journal.clear();
    const second = await logIn(world, credentials);
    second.sends('m2', ANNA);
    await second.hears('acked');
    const asked = world.peer.journal.stanzas({ way: 'up', tag: 'iq', attrs: { xmlns: 'encrypt', type: 'get' } });
    assert.deepEqual(
      asked.filter(({ stanza }) => Array.isArray(stanza.content) && stanza.content[0]?.tag === 'key'),
      [],
    );
    assert.equal((await world.phone(ANNA).shows()).length, 2);
  });

  it('are not sent to a network that cannot prove its identity', async (t) => {
    const world = await overThePeer(t, { rootKey: '00'.repeat(32) });
    const ear = new Ear(world, null, 'd');
    await ear.hears('closed');
    assert.deepEqual(
      ear.events.map(({ type }) => type),
      ['closed'],
      'the library alone takes any signature for genuine',
    );
  });
});
