import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { describe, it } from 'node:test';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { arrived } from '../../../runtime/testing/event-loop.ts';
import { settle, VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { makeCertificate } from '../../network-peer/media/certificate.ts';

describe('a virtual clock', () => {
  it('starts on New Year 2026 by default', () => {
    assert.equal(new VirtualClock().now(), Date.UTC(2026, 0, 1));
    assert.equal(new VirtualClock(5).now(), 5);
  });

  it('runs timers in order of their times, or of their creation if the times are equal', async () => {
    const clock = new VirtualClock(0);
    const ran: string[] = [];
    for (const [name, ms] of Object.entries({ c: 30, a: 10, b: 20, b2: 20 })) clock.after(ms, () => ran.push(`${name}@${clock.now()}`));
    await clock.advance(25);
    assert.deepEqual(ran, ['a@10', 'b@20', 'b2@20']);
    assert.equal(clock.now(), 25);
    await clock.advance(5);
    assert.equal(ran.at(-1), 'c@30');
  });

  it('runs timers set by other timers, and their promise continuations, in one advance', async () => {
    const clock = new VirtualClock(0);
    const ran: number[] = [];
    clock.after(10, async () => {
      await Promise.resolve();
      clock.after(10, () => ran.push(clock.now()));
    });
    await clock.advance(20);
    assert.deepEqual(ran, [20]);
  });

  it('drops a cancelled timer', async () => {
    const clock = new VirtualClock();
    const ran: string[] = [];
    const cancel = clock.after(10, () => ran.push('late'));
    clock.after(5, cancel);
    await clock.advance(10);
    assert.deepEqual(ran, []);
    assert.equal(clock.pending, 0);
  });

  it('keeps the order and count of many timers, most of which are cancelled', async () => {
    const clock = new VirtualClock(0);
    const ran: number[] = [];
    const cancels = Array.from({ length: 20_000 }, (_, i) => clock.after((i * 7_919) % 20_011, () => ran.push(clock.now())));
    cancels.forEach((cancel, i) => {
      if (i % 10 !== 0) cancel();
    });
    assert.equal(clock.pending, 2_000);
    await clock.advance(20_011);
    assert.equal(ran.length, 2_000);
    assert.deepEqual(
      ran,
      ran.toSorted((a, b) => a - b),
    );
  });

  it('keeps timers and monotonic time when the wall clock jumps', async () => {
    const clock = new VirtualClock(0);
    const ran: number[] = [];
    clock.after(100, () => ran.push(clock.monotonic()));
    clock.jump(3_600_000);
    await clock.advance(99);
    assert.deepEqual([ran.length, clock.now(), clock.monotonic()], [0, 3_600_099, 99]);
    await clock.advance(1);
    assert.deepEqual(ran, [100]);
  });

  it('advances to a given wall-clock time', async () => {
    const clock = new VirtualClock();
    await clock.advanceTo(Date.UTC(2026, 0, 2));
    assert.equal(clock.monotonic(), 86_400_000);
  });

  it('does not advance while something is busy', async () => {
    const clock = new VirtualClock(0);
    const ran: number[] = [];
    let isBusy = true;
    clock.waitWhile(() => isBusy, 'a server');
    clock.after(10, () => ran.push(clock.now()));
    setTimeout(() => {
      assert.deepEqual(ran, []);
      isBusy = false;
    }, 20);
    await clock.advance(20);
    assert.deepEqual(ran, [10]);
  });

  it('names the activities that are still busy if the wait times out', async () => {
    const clock = new VirtualClock(0);
    clock.waitWhile(() => false, 'a server');
    clock.waitWhile(() => true, 'another server', { withinMs: 20 });
    await assert.rejects(clock.advance(10), /another server is busy without an end/);
    assert.equal(clock.now(), 0);
  });

  it('waits longer than the limit while operations complete', async () => {
    const clock = new VirtualClock(0);
    const began = performance.now();
    clock.waitWhile(() => performance.now() - began < 200, 'a server', { withinMs: 100, completed: () => performance.now() });
    await clock.advance(10);
    assert.equal(clock.now(), 10);
  });

  it('waits for a request over a loopback socket before it advances further', async () => {
    const clock = new VirtualClock(0);
    const server = createServer((_request, response) => setImmediate(() => response.end('hello'))).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const received: string[] = [];
    clock.after(10, async () => {
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      received.push(`${await answer.text()}@${clock.now()}`);
    });
    clock.after(11, () => received.push(`tick@${clock.now()}`));
    await clock.advance(20);
    assert.deepEqual(received, ['hello@10', 'tick@11']);
    server.closeAllConnections();
    server.close();
  });

  it('waits for delayed bytes, but not for a reader that stopped reading', async (t) => {
    const clock = new VirtualClock(0);
    const received: string[] = [];
    const server = createTcpServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    server.once('connection', (socket) => {
      // Stands for a kernel that has other things to do; once it waits, there is nothing else for it to do.
      setTimeout(() => socket.on('data', () => received.push(`bytes@${clock.now()}`)).resume(), 30);
    });
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    t.after(() => server.close() && client.destroy());
    await once(client, 'connect');
    client.write('hello');
    await clock.advance(10);
    assert.deepEqual(received, ['bytes@0']);

    server.once('connection', (socket) => socket.on('close', () => received.push('closed')));
    const stalled = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    await once(stalled, 'connect');
    stalled.write('anybody?');
    await clock.advance(10);
    assert.equal(clock.now(), 20);
    stalled.destroy();
  });

  it('does not wait for an idle TLS connection', async (t) => {
    const { key, certificate: cert } = makeCertificate(Date.now());
    const server = createTlsServer({ key, cert }, (socket) => socket.on('data', () => socket.write('hello'))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connectTls({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', rejectUnauthorized: false });
    t.after(() => server.close() && client.destroy());
    client.write('anybody?');
    await once(client, 'data');
    let turns = 0;
    const turn = async (): Promise<void> => {
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    };
    await arrived(turn);
    assert.ok(turns < 20, `${turns} turns`);
  });

  it('waits for a file to be read', async () => {
    let text = '';
    void readFile(new URL(import.meta.url), 'utf8').then((read) => {
      text = read;
    });
    await settle();
    assert.match(text, /a virtual clock/);
  });
});
