import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { places } from '../../../store/media/places.ts';
import { pngOf, sha256 } from './files.ts';

const MB = 1024 * 1024;
const LARGE = pngOf(25 * MB);
const SMALL = pngOf(MB / 4);
const MAX_GROWTH_MB = 8;
/** Small files before, so that code is compiled and buffers are there. */
const WARM_UPS = 40;
/** On a busy machine the collector may come late; who keeps a file in memory grows by all of it each time. */
const TRIES = 3;

/** One line of what the kernel knows of a process, in MB. */
function memory(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const kb = new RegExp(`${line}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1024;
}

/** By how much a process's memory rises above where it was while `work` is done, at its highest. */
async function growth(pid: number, work: () => Promise<void>): Promise<number> {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = memory(pid, 'VmRSS');
  await work();
  return memory(pid, 'VmHWM') - before;
}

const skip = existsSync('/proc/self/clear_refs') ? false : 'this system does not tell the memory of processes in /proc';

interface Grown {
  readonly upload: number;
  readonly download: number;
}

/** A gateway of its own takes a large file in and gives it out again. */
async function transferred(t: TestContext, place: (typeof places)[number]): Promise<Grown> {
  const config = JSON.stringify(await place.config(t));
  const child = fork(join(import.meta.dirname, 'memory-child.ts'), [config], { execArgv: ['--expose-gc'] });
  t.after(() => child.connected && child.disconnect());
  const [{ url, token }] = await once(child, 'message');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/png' };
  let key = '';
  const upload = async (file: Buffer) => {
    const answer = await fetch(`${url}/v1/media/upload`, { method: 'POST', headers, body: new Uint8Array(file) });
    key = ((await answer.json()) as { key: string }).key;
    assert.equal(answer.status, 201);
  };
  const download = async (file: Buffer) => {
    const answer = await fetch(`${url}/v1/media/${key}`, { headers: { authorization: headers.authorization } });
    assert.equal(sha256(Buffer.from(await answer.arrayBuffer())), sha256(file));
  };
  for (let n = 0; n < WARM_UPS; n += 1) await upload(SMALL).then(() => download(SMALL));
  return { upload: await growth(child.pid!, () => upload(LARGE)), download: await growth(child.pid!, () => download(LARGE)) };
}

for (const place of places)
  it(`transfers of 25 MB with ${place.name} use less than ${MAX_GROWTH_MB} MB of memory`, { skip }, async (t) => {
    let least: Grown = { upload: Number.POSITIVE_INFINITY, download: Number.POSITIVE_INFINITY };
    for (let n = 0; n < TRIES && Math.max(least.upload, least.download) >= MAX_GROWTH_MB; n += 1) {
      const grown = await transferred(t, place);
      t.diagnostic(`grew by ${grown.upload.toFixed(1)} MB for an upload, by ${grown.download.toFixed(1)} MB for a download`);
      least = { upload: Math.min(least.upload, grown.upload), download: Math.min(least.download, grown.download) };
    }
    assert.ok(least.upload < MAX_GROWTH_MB, `upload: ${least.upload} MB`);
    assert.ok(least.download < MAX_GROWTH_MB, `download: ${least.download} MB`);
  });
