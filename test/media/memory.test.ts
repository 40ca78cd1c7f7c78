import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { pngOf, sha256 } from './files.ts';
import { places } from './places.ts';

const MB = 1024 * 1024;
const LARGE = pngOf(25 * MB);
const SMALL = pngOf(MB / 4);
const MOST_GROWTH_MB = 8;
/** Small files before, so that code is compiled and buffers are there. */
const WARM_UPS = 40;

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

for (const place of places)
  it(`25 MB go in and out of a gateway with ${place.name} that grows by less than ${MOST_GROWTH_MB} MB`, { skip }, async (t) => {
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
    const grown = { upload: await growth(child.pid!, () => upload(LARGE)), download: await growth(child.pid!, () => download(LARGE)) };
    t.diagnostic(`grew by ${grown.upload.toFixed(1)} MB for an upload, by ${grown.download.toFixed(1)} MB for a download`);
    assert.ok(grown.upload < MOST_GROWTH_MB, `upload: ${grown.upload} MB`);
    assert.ok(grown.download < MOST_GROWTH_MB, `download: ${grown.download} MB`);
  });
