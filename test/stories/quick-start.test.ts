import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { steps } from '../../http/openapi/guide.ts';
import { aDirectory } from '../support/stores.ts';

const RUN = join(import.meta.dirname, '../../scripts/commands/run.js');

it('a newcomer gets an answered message with the quick start of /docs and nothing else', { timeout: 120_000 }, async (t) => {
  const { MONGODB_URL: _store, REDIS_URL: _cluster, ...env } = process.env;
  const child = spawn(process.execPath, [RUN, 'start'], { env: { ...env, PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: aDirectory(t) } });
  t.after(async () => {
    child.kill();
    await once(child, 'exit');
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (/http:\/\/[\w.]+:\d+/.test(line)) break;
  }
  const address = /http:\/\/[\w.]+:\d+/.exec(lines.join('\n'))?.[0] ?? '';
  const ready = async (): Promise<boolean> => (await fetch(`${address}/ready`)).ok;
  while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, 100));
  const page = await (await fetch(`${address}/docs`)).text();
  for (const [en, id] of steps(address)) assert.ok(page.includes(en) && page.includes(id), en);
  assert.match(await (await fetch(`${address}/llms.txt`)).text(), /^# Business Messaging Gateway/);

  const session = `${address}/v1/sessions/$ID`;
  const until = (path: string, text: string): string =>
    `until curl -s -H "Authorization: Bearer $TOKEN" "${session}${path}" | grep -q '${text}'; do sleep 0.1; done`;
  // What a person does between two lines: look whether the one before is done.
  const waits: Readonly<Record<number, string>> = {
    2: until('/qr', '"qr"'),
    3: until('', '"connected"'),
    5: until('/messages?direction=inbound', 'Hello!'),
  };
  const script = steps(address).flatMap(([, , code], nth) => [code, waits[nth] ?? '']);
  const { stdout } = await promisify(execFile)('sh', ['-e', '-c', script.join('\n')], { timeout: 90_000 });
  assert.match(stdout, /"status":"queued"/);
});
