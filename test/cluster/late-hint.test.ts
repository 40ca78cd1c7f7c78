import { describe, it } from 'node:test';
import { ClusterActors } from '../../runtime/cluster/actors.ts';
import { ActorSystem } from '../../runtime/system.ts';
import { type NotebookCommand, notebook } from '../runtime/notebook.ts';
import { SimulatedRedis } from '../support/coordination.ts';
import { settle, VirtualClock } from '../support/virtual-clock.ts';
import { aNode } from './kinds.ts';

describe('a hint to an actor', () => {
  it('is lost, and nothing else, when its node has ended by the time it is known where the actor runs', async () => {
    const clock = new VirtualClock();
    const cluster = await aNode(new SimulatedRedis(clock), 'a');
    const system = new ActorSystem(clock);
    const policy = { restart: 'temporary', atMost: 1, withinMs: 1_000, backoffMs: () => 0 } as const;
    system.register({ behaviour: notebook, policy, mailboxLimit: 10, wake: () => [], hands: () => ({ perform: () => {} }) });
    const everywhere = new ClusterActors(system, cluster, clock);
    everywhere.add({ kind: 'notebook', rest: async () => {}, gone: async () => {} });
    await cluster.leases.acquire('notebook/n');
    everywhere.ref<NotebookCommand>('notebook', 'n').tell({ type: 'note', word: 'late' });
    await system.shutdown();
    // An unhandled rejection fails the test, as it would end the node.
    await settle();
    await cluster.leave();
  });
});
