import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { plansFrom } from '../../actors/domain/plans.ts';
import { aCluster, type Cluster, type ClusterNode } from '../support/cluster.ts';
import { eachStore } from '../support/stores.ts';
import { NAMED } from './races/named.ts';
import { OTHERS } from './races/others.ts';
import { PRIVACY } from './races/privacy.ts';
import { AT_ONCE, aWorld, countsOf, QUEUE_LIMIT } from './races/race.ts';
import { SENDS } from './races/sends.ts';

const MANY = 1_000_000;
const PLANS = plansFrom({
  free: {
    devices: 9,
    messages: MANY,
    send_per_minute: MANY,
    key_cap: MANY,
    keys: 3,
    open_drafts: 3,
    draft_recipients: 10,
    media_bytes: 12,
  },
});

eachStore('concurrent requests on two nodes', (kind) => {
  let cluster: Cluster;
  let nodes: readonly ClusterNode[];
  const over: (() => unknown)[] = [];
  before(async () => {
    cluster = await aCluster({ after: (done) => void over.push(done as () => unknown) }, kind, {
      plans: PLANS,
      queue_limit: QUEUE_LIMIT,
    });
    nodes = [await cluster.node('a'), await cluster.node('b')];
  });
  after(async () => {
    for (const done of over) await done();
  });

  for (const [nth, race] of [...NAMED, ...SENDS, ...OTHERS, ...PRIVACY].entries())
    it(race.name, async () => {
      const world = await aWorld(cluster, nodes, nth);
      const call = await race.ready(world);
      const apis = nodes.map((node) => node.as(world.tenant.tokens.token));
      const given = await Promise.all(
        Array.from({ length: race.callers ?? AT_ONCE }, (_, caller) => call(apis[caller % apis.length]!, caller)),
      );
      if (race.answers) assert.deepEqual(countsOf(given), race.answers);
      await race.after?.(world, given);
    });
});
