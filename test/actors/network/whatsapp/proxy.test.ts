import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { pino } from 'pino';
import { Ear, finished, link, logIn } from '../world.ts';
import { type AProxy, aProxy } from './a-proxy.ts';
import { overThePeer, type PeerWorld } from './peer-world.ts';

const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BYTES = Buffer.from('picture '.repeat(30_000));
const PICTURE = {
  type: 'image',
  file: { contentType: 'image/png', filename: null, size: BYTES.length, sha256: '' },
  caption: null,
  voiceNote: false,
} as const;

/** The peer's host for files, and the proxy, are trusted like any other. */
function trust(t: TestContext, certificates: readonly string[]): void {
  const known = getCACertificates('default');
  setDefaultCACertificates([...known, ...certificates]);
  t.after(() => setDefaultCACertificates(known));
}

/** Everything that the peer was reached by, from where. */
const portsSeen = ({ peer: { journal } }: PeerWorld): readonly unknown[] =>
  (['connected', 'uploaded', 'downloaded'] as const).flatMap((kind) => journal.events(kind)).map(({ facts }) => facts['port']);

const connections = (world: PeerWorld): number => world.peer.journal.events('connected').length;

function throughIt(t: TestContext, proxy: AProxy, more: Parameters<typeof overThePeer>[1] = {}): Promise<PeerWorld> {
  return overThePeer(t, { proxyUrl: proxy.url, allow: [proxy.place], ...more });
}

describe('a device with a proxy', () => {
  for (const kind of ['http', 'https', 'socks5'] as const) {
    it(`links, sends and transfers files only through the proxy: ${kind}`, async (t) => {
      const proxy = await aProxy(t, kind);
      const world = await throughIt(t, proxy);
      trust(t, [world.peer.media.certificate, proxy.certificate]);
      const shop = await logIn(world, await link(world, SHOP));
      shop.connection.send({ netId: 'm1', to: `${ANNA}@s.whatsapp.net`, quotes: null, content: PICTURE }, async () =>
        Readable.from([BYTES]),
      );
      await shop.hears('acked');
      await world.peer.contact(ANNA).sendsFile(SHOP, { kind: 'image', bytes: BYTES, contentType: 'image/png' });
      const { message } = await shop.hears('received');
      const file = await finished(world, shop.connection.download(message.file!).then(buffer));
      assert.ok(file.equals(BYTES));
      const seen = portsSeen(world);
      assert.ok(seen.length >= 4, 'two logins, a file up, a file down');
      assert.deepEqual(
        seen.filter((port) => !proxy.deps.has(Number(port))),
        [],
      );
    });
  }

  it('reports an unreachable proxy and never connects without it', async (t) => {
    const proxy = await aProxy(t, 'http');
    const world = await throughIt(t, proxy);
    const credentials = await link(world, SHOP);
    const shop = await logIn(world, credentials);
    const before = connections(world);
    await proxy.stop();
    assert.equal((await shop.hears('closed')).code, 428);
    const again = new Ear(world, credentials, 'd');
    assert.equal((await again.hears('closed')).code, 502);
    assert.equal(connections(world), before);
  });

  for (const kind of ['http', 'socks5'] as const) {
    it(`reports a wrong password without logging it: ${kind}`, async (t) => {
      const proxy = await aProxy(t, kind);
      let printed = '';
      const paper = new Writable({
        write(chunk, _encoding, done) {
          printed += String(chunk);
          done();
        },
      });
      const world = await throughIt(t, proxy, { proxyUrl: proxy.wrongUrl, log: pino({ level: 'trace' }, paper) });
      const ear = new Ear(world, null, 'd');
      assert.equal((await ear.hears('closed')).code, 502);
      assert.equal(connections(world), 0);
      assert.match(printed, /device\.connection_lost/);
      assert.doesNotMatch(printed, /wr0ng-password|c2hvcDp3/);
    });
  }

  it('does not connect if the proxy has a private address, and never contacts that address', async (t) => {
    const proxy = await aProxy(t, 'http');
    const world = await throughIt(t, proxy, { allow: [] });
    const ear = new Ear(world, null, 'd');
    assert.equal((await ear.hears('closed')).code, 502);
    assert.deepEqual([proxy.asked(), connections(world)], [0, 0]);
  });
});
