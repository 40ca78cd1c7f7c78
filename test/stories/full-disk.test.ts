import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { ANNA, aGateway, type Gateway, PHONE, type Tenant } from '../support/gateway.ts';
import { embedded, lastFirst, type StoreKind } from '../support/stores.ts';

/** A disk of a few megabytes; null where this user may not mount one. */
function aSmallDisk(): string | null {
  const directory = mkdtempSync(join(tmpdir(), 'disk-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', directory]).status === 0) return directory;
  rmSync(directory, { recursive: true });
  return null;
}

const isPossible = ((): boolean => {
  const disk = aSmallDisk();
  if (disk) unmount(disk);
  else console.log('No disk can be mounted here (it needs root): the stories of a full disk are left out.');
  return disk !== null;
})();

function unmount(disk: string): void {
  spawnSync('umount', ['-l', disk]);
  rmSync(disk, { recursive: true, force: true });
}

/** Writes until the disk is full. */
function fill(disk: string): string {
  const path = join(disk, 'filler');
  const file = openSync(path, 'w');
  for (const size of [1024 * 1024, 64 * 1024, 4_096, 512]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size, 1));
    } catch {
      // Smaller parts may still fit.
    }
  }
  closeSync(file);
  return path;
}

interface World {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  readonly disk: string;
  upload(bytes: number): Promise<{ readonly status: number; readonly code: unknown; readonly retryAfter: string | null }>;
}

async function aWorld(t: TestContext, what: 'files' | 'store'): Promise<World> {
  const disk = aSmallDisk();
  assert.ok(disk);
  const scope = lastFirst(t);
  scope.after(() => unmount(disk));
  const onDisk: StoreKind = {
    name: 'embedded',
    async fresh(own) {
      const store = openEmbedded({ path: join(disk, 'gateway.db'), log: { warn: () => {} } });
      own.after(() => store.close());
      return store;
    },
  };
  const gateway = await aGateway(scope, { kind: what === 'store' ? onDisk : embedded, config: { data_dir: disk } });
  const tenant = await gateway.signUp();
  return {
    gateway,
    tenant,
    disk,
    async upload(bytes) {
      const answer = await fetch(`${gateway.node.url}/v1/media/upload?filename=menu.txt`, {
        method: 'POST',
        headers: { authorization: `Bearer ${tenant.tokens.token}`, 'content-type': 'text/plain' },
        body: 'a line of a menu\n'.repeat(bytes / 17),
      });
      return { status: answer.status, code: Object(await answer.json()).code, retryAfter: answer.headers.get('retry-after') };
    },
  };
}

/** Files that are there, whole or not. */
const filesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map(({ name }) => name);

const ready = async ({ api, clock }: Gateway) => {
  await clock.advance(1_000);
  const { status, body } = await api('GET', '/ready');
  return { status, failing: Object.keys(body.checks).filter((name) => body.checks[name] === 'failing') };
};

describe('a full disk', { skip: !isPossible && 'no disk can be mounted here' }, () => {
  it('makes /ready fail and uploads return 503 until space is free', async (t) => {
    const { gateway, disk, upload } = await aWorld(t, 'files');
    assert.deepEqual(await ready(gateway), { status: 200, failing: [] });
    assert.equal((await upload(100_000)).status, 201);
    const before = filesIn(join(disk, 'media'));

    const filler = fill(disk);
    assert.deepEqual(await ready(gateway), { status: 503, failing: ['store', 'files'] });
    for (const bytes of [1_000, 3_000_000]) assert.deepEqual(await upload(bytes), { status: 503, code: 'UNAVAILABLE', retryAfter: '1' });
    assert.deepEqual(filesIn(join(disk, 'media')), before);

    rmSync(filler);
    assert.deepEqual(await ready(gateway), { status: 200, failing: [] });
    assert.equal((await upload(3_000_000)).status, 201);
  });

  it('makes store writes return 503, but messages accepted before are kept and sent once space is free', async (t) => {
    const { gateway, tenant, disk } = await aWorld(t, 'store');
    const device = await tenant.linked(PHONE);
    const first = await device.text(ANNA, 'before');
    const filler = fill(disk);
    assert.deepEqual(await ready(gateway), { status: 503, failing: ['store', 'files'] });
    const accepted = [first];
    const codes = new Set<unknown>();
    // What is left in the pages of the log is used up first.
    for (let nth = 0; nth < 60; nth += 1) {
      const body = { chat_id: ANNA, type: 'text', body: `${nth} ${'x'.repeat(40_000)}` };
      const answer = await gateway.during(tenant.api('POST', `${device.path}/messages`, body));
      if (answer.status === 202) accepted.push(answer.body.id);
      else codes.add(`${answer.status} ${answer.body.code}`);
    }
    assert.deepEqual([...codes], ['503 UNAVAILABLE']);

    rmSync(filler);
    assert.deepEqual(await ready(gateway), { status: 200, failing: [] });
    for (const id of accepted) assert.equal((await device.message(id)).id, id);
    await device.text(ANNA, 'after');
  });
});
