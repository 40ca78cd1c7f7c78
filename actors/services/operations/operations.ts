import type { ClusterActors } from '../../../runtime/cluster/cluster-actors.ts';
import { leaseKey } from '../../../runtime/cluster/leased-actor.ts';
import { type Cluster, type Member, type StoreReach, takesActors } from '../../../runtime/cluster/port.ts';
import type { PlannedMove, Rebalancer } from '../../../runtime/cluster/rebalancer.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { DeviceDirectory } from '../../../store/devices/device-directory.ts';
import { deviceActorId } from '../../device/actor-id.ts';
import { weigh } from '../../device/placement-weight.ts';
import { refusal } from '../../domain/refusals.ts';
import { PLATFORM } from '../accounts/platform-sender.ts';

export interface NodeView {
  readonly id: string;
  readonly address: string;
  readonly started_at: number;
  readonly heartbeat_at: number;
  readonly state: Member['state'];
  readonly store: StoreReach | null;
  readonly devices: number;
  readonly blasts: number;
  /** A node's load in points: one for each device, and one for each message per minute. */
  readonly load: number;
}

export interface DeviceMove {
  readonly device: string;
  readonly from: string;
  readonly to: string;
}

export interface Operations {
  nodes(): Promise<NodeView[]>;
  setState(nodeId: string, state: Member['state']): Promise<NodeView>;
  /** Null unpins the device. Fails with CONFLICT if it is not running or is being linked. */
  move(sessionId: string, to: string | null): Promise<DeviceMove>;
  rebalance(dryRun: boolean): Promise<DeviceMove[]>;
}

export interface OperationsDeps {
  readonly cluster: Cluster;
  readonly everywhere: ClusterActors;
  readonly rebalancer: Rebalancer;
  readonly deviceDirectory: DeviceDirectory;
  readonly now: () => number;
}

export function createOperations({ cluster, everywhere, rebalancer, deviceDirectory, now }: OperationsDeps): Operations {
  async function nodes(): Promise<NodeView[]> {
    const [placements, campaigns] = await Promise.all([deviceDirectory.wanted(), everywhere.wanted('campaign')]);
    const [owners, runners] = await Promise.all([
      cluster.leases.holders(placements.map(({ tenant_id, _id }) => keyOf(tenant_id, _id))),
      cluster.leases.holders(campaigns.map(({ kind, id }) => leaseKey(kind, id))),
    ]);
    return cluster.members().map(({ id, address, started_at, heartbeat_at, state, store = null }) => {
      const own = placements.filter((_placement, i) => owners[i] === id);
      return {
        id,
        address,
        started_at,
        heartbeat_at,
        state,
        store,
        devices: own.filter(({ tenant_id }) => tenant_id !== PLATFORM).length,
        blasts: runners.filter((runner) => runner === id).length,
        load: own.reduce((sum, placement) => sum + weigh(placement, now()).weight, 0),
      };
    });
  }

  function member(nodeId: string): Member {
    const found = cluster.members().find(({ id }) => id === nodeId);
    if (!found) throw refusal('NOT_FOUND', { reason: `node ${nodeId}` });
    return found;
  }

  return {
    nodes,

    async setState(nodeId, state) {
      member(nodeId);
      await everywhere.beState(nodeId, state);
      const changed = (await nodes()).find(({ id }) => id === nodeId);
      if (!changed) throw refusal('NOT_FOUND');
      return { ...changed, state };
    },

    async move(sessionId, to) {
      const row = await deviceDirectory.find(sessionId);
      if (!row) throw refusal('NOT_FOUND');
      if (to !== null && !cluster.members().some((member) => member.id === to && takesActors(member)))
        throw refusal('VALIDATION_FAILED', {
          field: 'node',
          reason: { en: `node ${to} is not an active node`, id: `node ${to} bukan node aktif` },
        });
      const [from] = await cluster.leases.holders([keyOf(row.tenant_id, row._id)]);
      if (!from)
        throw refusal('CONFLICT', {
          reason: { en: 'the device is not running on any node', id: 'perangkat tidak berjalan di node mana pun' },
        });
      const target = to ?? roomiest(await nodes(), from);
      await deviceDirectory.pin(sessionId, to);
      if (target !== from)
        await everywhere.move('device', deviceActorId(row.tenant_id, row._id), from, target).catch(async (cause) => {
          // Restore the previous pin, or the rebalancer would later carry out the refused move.
          if (cause instanceof Refusal && cause.code === 'CONFLICT') await deviceDirectory.pin(sessionId, row.pinned_node);
          throw cause;
        });
      return { device: row._id, from, to: target };
    },

    async rebalance(dryRun) {
      const moves = dryRun ? await rebalancer.plan() : await rebalancer.rebalance();
      return moves.map(deviceMove);
    },
  };
}

const keyOf = (tenantId: string, sessionId: string): string => leaseKey('device', deviceActorId(tenantId, sessionId));

function roomiest(nodes: readonly NodeView[], but: string): string {
  const others = nodes.filter(({ id, state, store }) => id !== but && state === 'active' && store !== 'stepped_down');
  return others.sort((a, b) => a.load - b.load)[0]?.id ?? but;
}

const deviceMove = ({ id, from, to }: PlannedMove): DeviceMove => ({ device: id.split('.')[1] ?? id, from, to });
