import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { it, type TestContext } from 'node:test';
import { aDirectory } from '../support/stores.ts';

const RUN = join(import.meta.dirname, '../../scripts/commands/run.js');
const DESCRIPTORS = 300;
const SOCKETS = 600;

/** A process of its own, with few descriptors; the address where it listens. */
async function aGateway(t: TestContext) {
  const { MONGODB_URL: _store, REDIS_URL: _cluster, ...env } = process.env;
  const child = spawn('sh', ['-c', `ulimit -n ${DESCRIPTORS}; exec "$@"`, 'sh', process.execPath, RUN, 'start'], {
    env: { ...env, PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: aDirectory(t) },
  });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/[\w.]+:\d+/.exec(line)?.[0];
    if (url) return { child, url };
  }
  throw new Error('it did not start');
}

/** Sockets that are opened and say nothing. */
async function idle(port: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: SOCKETS }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
  return sockets;
}

it('imports finish or are rejected when idle connections have used up the file descriptors', {
  timeout: 600_000,
}, async (t) => {
  const { child, url } = await aGateway(t);
  // One connection that stays open: new ones may not get through.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const call = async (method: string, path: string, body?: string | object, credentials: Record<string, string> = {}) => {
    const type = typeof body === 'string' ? 'text/csv' : 'application/json';
    const headers = { ...credentials, ...(body !== undefined && { 'content-type': type }) };
    const request = httpRequest(`${url}${path}`, { method, headers, agent });
    request.end(typeof body === 'object' ? JSON.stringify(body) : body);
    const [response]: IncomingMessage[] = await once(request, 'response');
    assert.ok(response);
    return { status: response.statusCode ?? 0, body: JSON.parse(await text(response)) };
  };
  while ((await call('GET', '/ready')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
  const phone = '+6281234567890';
  await call('POST', '/auth/register', { name: 'Toko', phone });
  const texts = JSON.stringify((await call('GET', `/sandbox/phones/${phone.slice(1)}/messages`)).body);
  const { token } = (await call('POST', '/auth/verify-otp', { phone, code: /\b\d{6}\b/.exec(texts)?.[0] })).body;
  const credentials = { authorization: `Bearer ${token}` };

  const sockets = await idle(Number(new URL(url).port));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const file of ['phone,name\n081211110001,Ana\n', { rows: [{ phone: '081211110002' }] }]) {
    const { status } = await call('POST', '/v1/contacts/import', file, credentials);
    assert.ok([202, 503].includes(status), String(status));
  }
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  assert.equal(child.exitCode, null);
  for (const socket of sockets) socket.destroy();
  assert.equal((await call('GET', '/health')).status, 200);
  const { status, body } = await call('POST', '/v1/contacts/import', 'phone,name\n081211110003,Ana\n', credentials);
  assert.equal(status, 202);
  const done = async (): Promise<string> => (await call('GET', `/v1/contacts/imports/${body.id}`, undefined, credentials)).body.status;
  while (['queued', 'running'].includes(await done())) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(await done(), 'done');
});
