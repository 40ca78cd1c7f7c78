import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mediaOnDisk } from '../../../../../store/media/disk.ts';
import type { MediaBytes } from '../../../../../store/media/media.ts';
import { MediaUnavailable } from '../../../../../store/media/unavailable.ts';
import { exportsIn } from '../../../../../store/privacy/exports.ts';
import { aGateway } from '../../../../support/gateway.ts';
import { aDirectory, eachStore, type Scope } from '../../../../support/stores.ts';
import { remembering } from '../erasure-fixture.ts';
import { processOn, timerless } from '../jobs-fixture.ts';

const MINUTE = 60_000;
/** Sweeps, one a minute. */
const [FEW, MANY] = [5, 60];

eachStore('an export whose files cannot be written', (kind) => {
  async function aWorld(t: Scope) {
    const remembered = remembering(kind);
    const gateway = await aGateway(t, { kind: remembered.kind });
    const tenant = await gateway.signUp();
    const disk = await mediaOnDisk({ directory: aDirectory(t), node: 'n1' });
    const world: { refused: Error | null } = { refused: null };
    const bytes: MediaBytes = {
      ...disk,
      write: (...args) => (world.refused ? Promise.reject(world.refused) : disk.write(...args)),
    };
    let now = gateway.clock.now();
    const clock = timerless(() => now);
    const { exporting } = processOn(gateway.store, [...remembered.opened.keys()], gateway.node.secrets.audit, bytes, clock);
    const { _id } = await exporting.begin(tenant.id, null, now);
    return {
      world,
      status: async () => (await exportsIn(gateway.store).find(tenant.id, _id))?.status,
      async swept(times: number): Promise<void> {
        for (let nth = 0; nth < times; nth += 1) {
          now += MINUTE;
          await exporting.continueAll(now);
        }
      },
    };
  }

  it('waits for as long as the bucket is unavailable', async (t) => {
    const { world, status, swept } = await aWorld(t);
    world.refused = new MediaUnavailable('the bucket does not serve');
    await swept(MANY);
    assert.equal(await status(), 'running');
    world.refused = null;
    await swept(1);
    assert.equal(await status(), 'done');
  });

  it('fails after a few attempts if there is any other reason', async (t) => {
    const { world, status, swept } = await aWorld(t);
    world.refused = new Error('it is not allowed');
    await swept(FEW);
    assert.equal(await status(), 'failed');
  });
});
