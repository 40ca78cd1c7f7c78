import { type Chance, seededChance } from '../../runtime/chance.ts';
import type { Host, Item } from '../../runtime/placement.ts';

/** Some nodes and what they run, up to 120 items; the same for the same seed. */
export function aCluster(seed: number) {
  const chance = seededChance(seed);
  const hosts = someHosts(chance);
  return { hosts, items: someItems(chance, hosts) };
}

function someHosts(chance: Chance): Host[] {
  return Array.from({ length: 1 + Math.floor(chance() * 7) }, (_, i): Host => {
    const state = i > 0 && chance() < 0.2 ? 'draining' : 'active';
    return { id: `n${i}`, state, ...(chance() < 0.3 && { capacity: 1 + Math.floor(chance() * 4) }) };
  });
}

/** Weights are quarters, so that sums are exact and ties are real. */
function someItems(chance: Chance, hosts: readonly Host[]): Item[] {
  const heavy = chance();
  const anyNode = (): string => (chance() < 0.1 ? 'gone' : hosts[Math.floor(chance() ** 2 * hosts.length)]!.id);
  return Array.from({ length: Math.floor(chance() * 120) }, (_, i): Item => {
    const weight = Math.floor(chance() * 4 * (chance() < heavy ? 4 : 100)) / 4;
    const pinned = chance() < 0.1 ? anyNode() : null;
    return { id: `d${i}`, weight, owner: chance() < 0.1 ? null : anyNode(), pinned, movable: chance() > 0.05 };
  });
}
