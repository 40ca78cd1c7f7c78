import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openJobFolders } from '../../../runtime/child-processes/job-folders.ts';
import { aDirectory } from '../../support/stores.ts';
import { BARE, familyOf, HOSTS, isAlive } from './children-fixture.ts';

const PARENT = fileURLToPath(new URL('./parent.ts', import.meta.url));
/** However busy the machine is. */
const GONE_WITHIN_MS = 60_000;

async function allGone(pids: readonly number[]): Promise<boolean> {
  for (const end = performance.now() + GONE_WITHIN_MS; performance.now() < end; ) {
    if (!pids.some(isAlive)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

describe('child processes of a gateway that was started with open file descriptors', () => {
  for (const [name, host] of HOSTS)
    it(`do not inherit those descriptors ${name}`, async (t) => {
      const directory = aDirectory(t);
      writeFileSync(`${directory}/token`, 'secret');
      const token = openSync(`${directory}/token`, 'r');
      const child = spawn(process.execPath, [PARENT, `${directory}/jobs`, JSON.stringify(host), 'descriptors'], {
        // Node itself closes the first ones, up to the first gap behind the sixteenth.
        stdio: ['ignore', 'pipe', 'inherit', ...Array(37).fill('ignore'), token],
      });
      closeSync(token);
      assert.ok(child.stdout);
      const [listed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      assert.match(listed, / 0 -> /);
      assert.doesNotMatch(listed, /token/);
    });
});

describe('child processes of a killed gateway', () => {
  // A child that is busy notices nothing by itself: the kernel has to end it, which a bare host is not asked for.
  const ways = [
    ...HOSTS.flatMap(([name, host]) => ['sleep', 'spin'].map((job) => [name, host, job] as const)),
    ['on a host without isolation features', BARE, 'sleep'] as const,
  ];
  for (const [name, host, job] of ways)
    it(`exit with the gateway ${name}, together with their own children (${job})`, async (t) => {
      const folder = `${aDirectory(t)}/jobs`;
      const parent = spawn(process.execPath, [PARENT, folder, JSON.stringify(host), job], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(parent.stdout, 'data');
      const family = familyOf(parent.pid ?? 0).filter((pid) => pid !== parent.pid);
      assert.ok(family.length > 0);
      parent.kill('SIGKILL');
      await once(parent, 'exit');
      assert.ok(await allGone(family), `${family.filter(isAlive)} live on`);
      assert.equal(readdirSync(folder).length, 1);
      const next = await openJobFolders(folder);
      assert.deepEqual(
        readdirSync(folder).map((one) => `${folder}/${one}`),
        [next.path],
      );
    });

  it('leave no files behind, but do not touch the files of another running process', async (t) => {
    const folder = `${aDirectory(t)}/jobs`;
    const other = spawn('/bin/sleep', ['60']);
    t.after(() => other.kill());
    const own = await openJobFolders(folder);
    await own.stage([Buffer.from('x')]);
    mkdirSync(`${folder}/${other.pid}-1`);
    mkdirSync(`${folder}/4194303-5`);
    writeFileSync(`${folder}/odd`, 'x');
    const again = await openJobFolders(folder);
    assert.equal(again.path, own.path);
    // An id that was given to another process since says nothing.
    assert.deepEqual(
      readdirSync(folder).map((one) => `${folder}/${one}`),
      [own.path],
    );
    assert.equal(readdirSync(own.path).length, 1);
    await own.close();
    assert.deepEqual(readdirSync(folder), []);
  });
});
