import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it, type TestContext } from 'node:test';
import { calling } from '../support/gateway.ts';
import { aDirectory } from '../support/stores.ts';

const RUN = join(import.meta.dirname, '../../scripts/commands/run.js');

/** A process of its own, over what the ones before it left. */
async function aGateway(t: TestContext, directory: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const { MONGODB_URL: _store, REDIS_URL: _cluster, ...env } = process.env;
  const child = spawn(process.execPath, [RUN, 'start'], { env: { ...env, PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: directory } });
  t.after(() => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/[\w.]+:\d+/.exec(line)?.[0];
    if (url) return { child, url };
  }
  throw new Error('it did not start');
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('a document that has crashed the node twice is marked as failed, and other documents are parsed', {
  timeout: 600_000,
}, async (t) => {
  const directory = aDirectory(t);
  let { child, url } = await aGateway(t, directory);
  const open = calling(url, {});
  while ((await open('GET', '/ready')).status !== 200) await pause(100);
  const phone = '+6281234567890';
  await open('POST', '/auth/register', { name: 'Toko', phone });
  const texts = JSON.stringify((await open('GET', `/sandbox/phones/${phone.slice(1)}/messages`)).body);
  const { token } = (await open('POST', '/auth/verify-otp', { phone, code: /\b\d{6}\b/.exec(texts)?.[0] })).body;
  const credentials = { authorization: `Bearer ${token}` };
  const upload = async (name: string, text: string): Promise<string> => {
    const body = new FormData();
    body.append('file', new Blob([text]), name);
    const answer = await fetch(`${url}/v1/ai-reply/documents`, { method: 'POST', headers: credentials, body });
    assert.equal(answer.status, 202);
    return JSON.parse(await answer.text()).id;
  };
  const shown = async (id: string) => (await calling(url, credentials)('GET', `/v1/ai-reply/documents/${id}`)).body;
  const isBeingRead = (): boolean =>
    readdirSync(join(directory, 'jobs'), { recursive: true }).some((name) => String(name).endsWith('/1/out'));

  const id = await upload('slow.html', '<p>word</p>'.repeat(400_000));
  for (let times = 1; times <= 2; times += 1) {
    while (!isBeingRead()) {
      assert.equal((await shown(id)).status, 'parsing');
      await pause(20);
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    ({ child, url } = await aGateway(t, directory));
  }
  while ((await shown(id)).status === 'parsing') await pause(100);
  assert.match((await shown(id)).error, /^Reading this file failed twice\. Try again after \d\d:\d\d\.$/);
  const other = await upload('other.txt', 'Kami buka pukul 09.00.');
  while ((await shown(other)).status === 'parsing') await pause(100);
  assert.equal((await shown(other)).status, 'ready');
});
