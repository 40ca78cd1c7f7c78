import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { dropDatabase } from '../../../scripts/faults/world.ts';
import { attackCluster } from '../../../scripts/guard/cluster.ts';
import { atNight } from '../../support/night.ts';
import { hasRedis } from '../../support/redis.ts';

const { MONGODB_URL } = process.env;
const skip = (!MONGODB_URL && 'MONGODB_URL is not set') || (!hasRedis && 'redis-server is not installed');

/** One short round: the night's command (scripts/guard/cluster-main.ts) measures what sends of others cost beside the attack. */
atNight('a short hostile round', () => {
  describe('a cluster that receives a text that once stopped it', { skip }, () => {
    it('keeps its leases on their nodes', async (t) => {
      const url = new URL(MONGODB_URL ?? '');
      url.pathname = `/guard_${randomBytes(6).toString('hex')}`;
      t.after(() => dropDatabase(url.href));
      const { moved, lost, texts } = await attackCluster({ mongodbUrl: url.href, sends: 15, rounds: 1, warmUpMs: 2_000 });
      assert.ok(texts > 0);
      assert.deepEqual({ moved, lost }, { moved: [], lost: 0 });
    });
  });
});
