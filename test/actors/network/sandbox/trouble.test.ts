import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aDevice, Ear, link, logIn } from '../world.ts';
import { inProcess } from './sandbox-worlds.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const TEN_SECONDS = 10_000;

describe('sandbox faults', () => {
  it('delay acks and receipts while the network is slow, but lose none', async () => {
    const world = await inProcess();
    const shop = await aDevice(world, SHOP);
    await world.fault(SHOP, 'slow', TEN_SECONDS);
    shop.sends('m1', ANNA);
    await world.pass(TEN_SECONDS - 1);
    assert.equal(shop.all('acked').length + shop.all('receipt').length, 0);
    assert.equal((await world.phone(ANNA).shows()).length, 1);
    await world.pass(1_000);
    assert.deepEqual(
      shop.events.slice(1).map(({ type }) => type),
      ['acked', 'receipt', 'receipt'],
    );
  });

  it('end immediately when their duration is set to zero', async () => {
    const world = await inProcess();
    const shop = await aDevice(world, SHOP);
    await world.fault(SHOP, 'slow', TEN_SECONDS);
    shop.sends('m1', ANNA);
    await world.fault(SHOP, 'slow', 0);
    await shop.hears('acked');
  });

  it("leave a message's outcome unknown if the connection drops before the ack", async () => {
    const world = await inProcess();
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA);
    await world.fault(SHOP, 'drop');
    await shop.hears('closed');
    await world.pass(1_000);
    assert.equal(shop.all('acked').length, 0);
    assert.equal(world.sandbox.journal.of('accepted').length, 1);
  });

  it('lose outgoing messages while the network is silent, and deliver incoming ones afterwards', async () => {
    const world = await inProcess();
    const shop = await aDevice(world, SHOP);
    await world.fault(SHOP, 'silent', TEN_SECONDS);
    shop.sends('m1', ANNA);
    const asked = assert.rejects(shop.connection.lookUp([ANNA]), { code: 'NOT_CONNECTED' });
    const kept = await world.phone(ANNA).writes(SHOP, 'anybody there?');
    await world.pass(TEN_SECONDS - 1);
    assert.deepEqual(
      shop.events.map(({ type }) => type),
      ['opened'],
    );
    assert.equal((await shop.hears('received')).message.netId, kept);
    shop.sends('m2', ANNA);
    assert.equal((await shop.hears('acked')).netId, 'm2');
    assert.deepEqual(
      world.sandbox.journal.of('swallowed').map(({ netId }) => netId),
      ['m1'],
    );
    shop.connection.close();
    await asked;
  });

  it('delay read receipts until the phone is online again', async () => {
    const world = await inProcess();
    const shop = await aDevice(world, SHOP);
    shop.sends('m1', ANNA);
    await shop.hears('receipt');
    await world.phone(ANNA).is({ online: false });
    await world.pass(TEN_SECONDS);
    assert.equal(shop.all('receipt').length, 1);
    await world.phone(ANNA).is({ online: true });
    assert.equal((await shop.hears('receipt', 2)).status, 'read');
  });

  it('need no timers while devices are idle', async () => {
    const world = await inProcess();
    for (let i = 0; i < 10; i += 1) await aDevice(world, `62811000000${10 + i}`);
    await world.pass(1_000);
    assert.equal(world.clock.pending, 0);
  });

  it('keep a login pending while the network is silent, until the client gives up', async () => {
    const world = await inProcess();
    const credentials = await link(world, SHOP);
    await logIn(world, credentials);
    await world.fault(SHOP, 'silent', TEN_SECONDS);
    const givenUp = new Ear(world, credentials, 'd1');
    const patient = new Ear(world, credentials, 'd1');
    await world.pass(1_000);
    assert.deepEqual([givenUp.events, patient.events], [[], []]);
    givenUp.connection.close();
    await world.pass(TEN_SECONDS);
    assert.deepEqual(givenUp.events, [{ type: 'closed', code: 1000 }]);
    assert.equal(patient.events[0]?.type, 'opened');
  });

  it('include bans, which are lifted after their duration', async () => {
    const world = await inProcess();
    const credentials = await link(world, SHOP);
    await world.fault(SHOP, 'ban', TEN_SECONDS);
    const banned = new Ear(world, credentials, 'd1');
    assert.equal((await banned.hears('closed')).code, 403);
    await world.pass(TEN_SECONDS);
    await logIn(world, credentials);
  });

  it('prevent linking to a banned, offline or missing phone', async () => {
    const world = await inProcess();
    await aDevice(world, SHOP);
    await world.fault(SHOP, 'ban');
    const { qr } = await new Ear(world, null, 'd2').hears('qr');
    await assert.rejects(world.phone(SHOP).scans({ qr }), { code: 'CONFLICT' });
    await world.phone(ANNA).is({ online: false });
    await assert.rejects(world.phone(ANNA).scans({ qr }), { code: 'CONFLICT' });
    await world.phone(ANNA).is({ online: true, onNetwork: false });
    await assert.rejects(world.phone(ANNA).scans({ qr }), { code: 'CONFLICT' });
  });

  it('have no effect on a number without a device', async () => {
    const world = await inProcess();
    await assert.rejects(world.fault(ANNA, 'drop'), { code: 'NOT_FOUND' });
  });
});
