import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { connectSandbox } from '../../../../actors/network/sandbox/remote-sandbox.ts';
import { createSandbox } from '../../../../actors/network/sandbox/sandbox.ts';
import { serveSandbox } from '../../../../actors/network/sandbox/server.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { aDevice, Ear, finished, link, logIn } from '../world.ts';
import { inProcess, type RemoteWorld, remote } from './sandbox-worlds.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const MEBIBYTE = 1_048_576;

const portOf = (url: string): number => Number(new URL(url).port);

describe('a remote sandbox', () => {
  it('closes every login with 503 when the connection drops, including logins opened while it is down', async (t) => {
    const world = await remote(t);
    const credentials = await link(world, SHOP);
    const ears = [await logIn(world, credentials), new Ear(world, null, 'd2')];
    await ears[1]?.hears('qr');
    const asked = assert.rejects(ears[0]?.connection.lookUp([ANNA]) ?? Promise.resolve(), { code: 'NOT_CONNECTED' });
    await world.server.close();
    for (const ear of ears) assert.equal((await ear.hears('closed')).code, 503);
    const late = new Ear(world, credentials, 'd1');
    assert.deepEqual(late.events, []);
    await world.pass(1);
    assert.deepEqual(late.events, [{ type: 'closed', code: 503 }]);
    await asked;
    await assert.rejects(late.connection.lookUp([ANNA]), { code: 'NOT_CONNECTED' });
  });

  it('accepts devices again after a restart, even devices that it does not know', async (t) => {
    const world = await remote(t);
    const credentials = await link(world, SHOP);
    const shop = await logIn(world, credentials);
    await world.server.close();
    await shop.hears('closed');
    const fresh = await serveSandbox(createSandbox({ clock: world.clock }), portOf(world.server.url));
    t.after(() => fresh.close());
    const again = await eventually(world, () => new Ear(world, credentials, 'd1'));
    again.sends('m1', ANNA);
    await again.hears('acked');
  });

  it('accepts logins opened before the connection is established', async (t) => {
    const clock = new VirtualClock();
    const { server, ...world } = await remote(t);
    const network = connectSandbox({ url: server.url, clock });
    t.after(() => network.shutdown());
    const ear = new Ear({ ...world, network }, null, 'd1');
    await ear.hears('qr');
  });

  it('can be shut down while it is unreachable', async () => {
    const world = await inProcess();
    const network = connectSandbox({ url: 'http://127.0.0.1:9', clock: world.clock });
    const ear = new Ear({ ...world, network }, null, 'd1');
    await finished(world, network.shutdown());
    await ear.hears('closed');
    await world.pass(60_000);
    assert.equal(world.clock.pending, 0);
  });

  it('disconnects peers that send invalid JSON or an endless line, and rejects upgrades to other protocols', async (t) => {
    const world = await remote(t);
    assert.match(await answerTo(world, 'sandbox-line', 'not JSON\n'), /^HTTP\/1.1 101/);
    assert.match(await answerTo(world, 'sandbox-line', 'x'.repeat(2 * MEBIBYTE)), /^HTTP\/1.1 101/);
    assert.match(await answerTo(world, 'websocket', ''), /^HTTP\/1.1 400/);
    await aDevice(world, SHOP);
  });
});

/** Logs in again and again until it works. */
async function eventually(world: RemoteWorld, open: () => Ear): Promise<Ear> {
  for (let tries = 0; tries < 50; tries += 1) {
    const ear = open();
    while (ear.events.length === 0) await world.pass(50);
    if (ear.events[0]?.type === 'opened') return ear;
  }
  return assert.fail('never logged in');
}

/** Speaks to the server by hand until it hangs up. */
function answerTo({ server }: RemoteWorld, upgrade: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connect(portOf(server.url), '127.0.0.1');
    socket.on('data', (bytes) => {
      if (heard === '') socket.write(text);
      heard += bytes;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
    socket.write(`GET / HTTP/1.1\r\nHost: sandbox\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`);
  });
}
