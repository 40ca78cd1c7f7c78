import { describe, it } from 'node:test';
import { ActorSystem } from '../../../runtime/actor-system/system.ts';
import { ClusterActors } from '../../../runtime/cluster/cluster-actors.ts';
import { settle, VirtualClock } from '../../../runtime/testing/virtual-clock.ts';
import { SimulatedRedis } from '../../support/coordination.ts';
import { type NotebookCommand, notebook } from '../actor-system/notebook.ts';
import { aNode } from './kinds.ts';

describe('a one-way message to an actor', () => {
  it('is dropped without side effects if the sending node leaves before it finds the actor', async () => {
    const clock = new VirtualClock();
    const cluster = await aNode(new SimulatedRedis(clock), 'a');
    const system = new ActorSystem(clock);
    const policy = { restart: 'temporary', atMost: 1, withinMs: 1_000, backoffMs: () => 0 } as const;
    const everywhere = new ClusterActors(system, cluster, clock);
    const run = { policy, mailboxLimit: 10, wake: () => [], effectHandler: () => ({ perform: () => {} }) };
    const place = { effectScopes: { echo: 'fenced' }, lost: { type: 'received', word: '' }, drainOrder: 1 } as const;
    everywhere.register({ behaviour: notebook, ...run, ...place, drain: async () => {}, wanted: async () => [] });
    await cluster.leases.acquire('notebook/n');
    everywhere.ref<NotebookCommand>('notebook', 'n').tell({ type: 'note', word: 'late' });
    await system.shutdown();
    // An unhandled rejection fails the test, as it would end the node.
    await settle();
    await cluster.leave();
  });
});
