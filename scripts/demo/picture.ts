import type { NodeView } from '../../actors/services/operations/operations.ts';
import type { PlacedDevice } from '../commands/cluster/operator.ts';
import type { DemoDevice } from './tenant.ts';
import type { World } from './world.ts';

export interface Picture {
  /** Numbers of the devices on each node; null if the node's process is not running. */
  readonly nodes: ReadonlyMap<string, readonly number[] | null>;
  readonly onTheWay: readonly number[];
}

export async function pictureOf(world: World, devices: readonly DemoDevice[]): Promise<Picture | null> {
  try {
    const call = world.call(0);
    const [{ body: listed }, { body: placed }] = await Promise.all([
      call('GET', '/v1/admin/nodes'),
      call('GET', '/v1/admin/sessions?limit=200'),
    ]);
    const { nodes }: { nodes: readonly NodeView[] } = listed;
    const { sessions }: { sessions: readonly PlacedDevice[] } = placed;
    const members = new Set(nodes.map(({ id }) => id));
    const owners = new Map(sessions.map(({ id, node }) => [id, node]));
    const running = new Set(world.nodes.filter(({ id, isRunning }) => isRunning && members.has(id)).map(({ id }) => id));
    const on = (node: string) => devices.filter(({ id }) => owners.get(id) === node).map(({ number }) => number);
    return {
      nodes: new Map(world.nodes.map(({ id }) => [id, running.has(id) ? on(id) : null])),
      onTheWay: devices.filter(({ id }) => !running.has(owners.get(id) ?? '')).map(({ number }) => number),
    };
  } catch {
    return null;
  }
}

export function linesOfPicture({ nodes, onTheWay }: Picture): string[] {
  const lines = [...nodes].map(([id, own]) => `${id}  ${own === null ? 'down' : `devices ${own.join(' ') || '-'}`}`);
  return onTheWay.length === 0 ? lines : [...lines, `--  on the way: ${onTheWay.join(' ')}`];
}
