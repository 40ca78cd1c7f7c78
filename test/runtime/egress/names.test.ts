import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { it } from 'node:test';
import type { Resolve } from '../../../runtime/egress/connector.ts';
import { createCallerResolver } from '../../../runtime/egress/names.ts';
import type { Scope } from '../../support/stores.ts';

const PUBLIC = '93.184.215.14';
const NO_SUCH_NAME = 3;
const TYPE_A = 1;

/** A name server that knows `live.test`, is silent about `dead.test`, and knows of no other name. Gives its address. */
async function aNameServer(scope: Scope): Promise<{ readonly place: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  scope.after(() => socket.close());
  socket.on('message', (question, { address, port }) => {
    const { name, type, end } = questionIn(question);
    asked.push(name);
    if (name !== 'dead.test') socket.send(answerTo(question.subarray(0, end), name === 'live.test' ? type : null), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { place: `127.0.0.1:${socket.address().port}`, asked };
}

function questionIn(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** `type`: of the address that is asked for; null: there is no such name. */
function answerTo(question: Buffer, type: number | null): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | (type === null ? NO_SUCH_NAME : 0), 2);
  head.writeUInt16BE(type === TYPE_A ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, ...PUBLIC.split('.').map(Number)]);
  return type === TYPE_A ? Buffer.concat([head, record]) : head;
}

/** Names as callers choose them, and what the system is asked about. */
async function names(scope: Scope, system: Resolve) {
  const { place, asked } = await aNameServer(scope);
  const bySystem: string[] = [];
  const resolve = createCallerResolver({
    servers() {
      const resolver = new Resolver({ timeout: 50, tries: 1 });
      resolver.setServers([place]);
      return resolver;
    },
    system(hostname) {
      bySystem.push(hostname);
      return system(hostname);
    },
  });
  return { resolve, asked, bySystem };
}

const never: Resolve = () => new Promise(() => {});
const onlyLive = [{ address: PUBLIC, family: 4 }];

it('names are resolved in parallel, and an unresponsive server does not block system threads', async (t) => {
  const { resolve, bySystem } = await names(t, never);
  const dead = Array.from({ length: 20 }, () => resolve('dead.test'));
  const ended = Promise.allSettled(dead);
  assert.deepEqual(await resolve('live.test'), onlyLive);
  assert.ok((await ended).every((answer) => answer.status === 'rejected' && answer.reason.code === 'ETIMEOUT'));
  assert.deepEqual(bySystem, []);
});

it('names that DNS does not know are looked up by the operating system one at a time, without delaying other names', async (t) => {
  const answers = new Map([['hooks.lan', Promise.withResolvers<typeof onlyLive>()]]);
  const { resolve, bySystem } = await names(t, (hostname) => answers.get(hostname)?.promise ?? never(hostname));
  const known = resolve('hooks.lan');
  while (bySystem.length === 0) await new Promise(setImmediate);
  for (const name of ['one.lan', 'two.lan', 'three.lan']) void resolve(name);
  assert.deepEqual(await resolve('live.test'), onlyLive);
  assert.deepEqual(bySystem, ['hooks.lan']);
  answers.get('hooks.lan')?.resolve(onlyLive);
  assert.deepEqual(await known, onlyLive);
  await new Promise(setImmediate);
  assert.deepEqual(bySystem, ['hooks.lan', 'one.lan']);
});

it('concurrent lookups of a host name share one query, and a later lookup sends a new query', async (t) => {
  const { resolve, asked } = await names(t, never);
  await Promise.all(Array.from({ length: 20 }, () => resolve('live.test')));
  assert.equal(asked.length, 2, 'one for each type of address');
  await resolve('live.test');
  assert.equal(asked.length, 4);
});
