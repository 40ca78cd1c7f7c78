import type { Host, Item } from '../../../runtime/placement/placement.ts';
import { type Random, seededRandom } from '../../../runtime/random.ts';

/** Some nodes and what they run, up to 120 items; the same for the same seed. */
export function aCluster(seed: number) {
  const random = seededRandom(seed);
  const hosts = someHosts(random);
  return { hosts, items: someItems(random, hosts) };
}

function someHosts(random: Random): Host[] {
  return Array.from({ length: 1 + Math.floor(random() * 7) }, (_, i): Host => {
    const state = i > 0 && random() < 0.2 ? 'draining' : 'active';
    return { id: `n${i}`, state, ...(random() < 0.3 && { capacity: 1 + Math.floor(random() * 4) }) };
  });
}

/** Weights are quarters, so that sums are exact and ties are real. */
function someItems(random: Random, hosts: readonly Host[]): Item[] {
  const heavy = random();
  const anyNode = (): string => (random() < 0.1 ? 'gone' : hosts[Math.floor(random() ** 2 * hosts.length)]!.id);
  return Array.from({ length: Math.floor(random() * 120) }, (_, i): Item => {
    const weight = Math.floor(random() * 4 * (random() < heavy ? 4 : 100)) / 4;
    const pinned = random() < 0.1 ? anyNode() : null;
    return { id: `d${i}`, weight, owner: random() < 0.1 ? null : anyNode(), pinned, movable: random() > 0.05 };
  });
}
