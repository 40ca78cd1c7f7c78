import { planOf } from '../../../actors/domain/plans.ts';
import { connectStore, type StoreDeps, tokenOf } from '../../../actors/services/stores/links.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { createSealer } from '../../../runtime/sealing/seal.ts';
import { storeHooksIn } from '../../../store/store-links/hooks.ts';
import { storeLinksIn } from '../../../store/store-links/links.ts';
import { storeMemoryIn } from '../../../store/store-links/memory.ts';
import { secretsFor } from '../../wiring/secrets.ts';
import type { BenchNode } from '../bench-node.ts';
import { aDevice, aTenant } from '../planted.ts';
import { SECRET } from './hooks.ts';

export async function connectStores({ store, config }: BenchNode, count: number): Promise<readonly string[]> {
  const tenant = await aTenant(store);
  const device = await aDevice(store, tenant._id);
  const deps: StoreDeps = {
    links: storeLinksIn(store),
    hooks: storeHooksIn(store),
    memory: storeMemoryIn(store),
    sealer: createSealer(secretsFor(config).deviceKeys),
    plans: config.plans,
    takeBack: () => Promise.resolve(),
  };
  const owner = { id: tenant._id, locale: 'en', plan: { ...planOf(config.plans, tenant.plan), stores: count } } as const;
  const paths: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const order = { platform: 'platform_a', name: 'Bench', session_id: device._id, secret: SECRET } as const;
    const { link } = await connectStore(deps, owner, order, systemClock.now());
    paths.push(`/hooks/store/${tokenOf(deps, link)}`);
  }
  return paths;
}
