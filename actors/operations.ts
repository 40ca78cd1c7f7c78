import type { ClusterActors } from '../runtime/cluster/actors.ts';
import { leaseKey } from '../runtime/cluster/leased.ts';
import type { Cluster, Member } from '../runtime/cluster/port.ts';
import type { PlannedMove, Steward, Wanted } from '../runtime/cluster/steward.ts';
import type { Fleet } from '../store/fleet.ts';
import { deviceActorId } from './device/spawn.ts';
import { weigh } from './device/weight.ts';
import { refusal } from './refusals.ts';
import { PLATFORM } from './sender.ts';

/** A node as operators see it (api.md "Operator"). Times are epoch ms. */
export interface NodeView {
  readonly id: string;
  readonly address: string;
  readonly started_at: number;
  readonly heartbeat_at: number;
  readonly state: Member['state'];
  /** Devices of tenants that it runs. */
  readonly devices: number;
  /** Campaigns that it runs: those that have something to do within the minute. */
  readonly blasts: number;
  /** What its devices weigh together: one each, and one a message a minute. */
  readonly load: number;
}

export interface DeviceMove {
  readonly device: string;
  readonly from: string;
  readonly to: string;
}

/** What operators do with the cluster. Works on any node. */
export interface Operations {
  nodes(): Promise<NodeView[]>;
  /** Takes a node out step by step, or back in. Refuses NOT_FOUND. */
  setState(nodeId: string, state: Member['state']): Promise<NodeView>;
  /**
   * Moves a device to `to` and pins it there; null: to wherever there is most room, unpinned. Refuses NOT_FOUND, VALIDATION_FAILED (no such
   * active node), CONFLICT (it runs nowhere, or a phone is being linked).
   */
  move(sessionId: string, to: string | null): Promise<DeviceMove>;
  rebalance(dryRun: boolean): Promise<DeviceMove[]>;
}

export interface OperationsPorts {
  readonly cluster: Cluster;
  readonly everywhere: ClusterActors;
  readonly steward: Steward;
  readonly fleet: Fleet;
  /** Campaigns of which some node should run the actor. */
  wantedBlasts(): Promise<readonly Wanted[]>;
  readonly now: () => number;
}

export function createOperations({ cluster, everywhere, steward, fleet, wantedBlasts, now }: OperationsPorts): Operations {
  async function nodes(): Promise<NodeView[]> {
    const [berths, campaigns] = await Promise.all([fleet.wanted(), wantedBlasts()]);
    const [owners, runners] = await Promise.all([
      cluster.leases.holders(berths.map(({ tenant_id, _id }) => keyOf(tenant_id, _id))),
      cluster.leases.holders(campaigns.map(({ kind, id }) => leaseKey(kind, id))),
    ]);
    return cluster.members().map(({ id, address, started_at, heartbeat_at, state }) => {
      const own = berths.filter((_berth, i) => owners[i] === id);
      return {
        id,
        address,
        started_at,
        heartbeat_at,
        state,
        devices: own.filter(({ tenant_id }) => tenant_id !== PLATFORM).length,
        blasts: runners.filter((runner) => runner === id).length,
        load: own.reduce((sum, berth) => sum + weigh(berth, now()).weight, 0),
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
      const row = await fleet.find(sessionId);
      if (!row) throw refusal('NOT_FOUND');
      if (to !== null && !cluster.members().some(({ id, state }) => id === to && state === 'active'))
        throw refusal('VALIDATION_FAILED', { reason: `"node" ${to} is no active node` });
      const [from] = await cluster.leases.holders([keyOf(row.tenant_id, row._id)]);
      if (!from) throw refusal('CONFLICT', { reason: 'the device runs nowhere' });
      const target = to ?? roomiest(await nodes(), from);
      await fleet.pin(sessionId, to);
      if (target !== from) await everywhere.move('device', deviceActorId(row.tenant_id, row._id), from, target);
      return { device: row._id, from, to: target };
    },

    async rebalance(dryRun) {
      const moves = dryRun ? await steward.plan() : await steward.rebalance();
      return moves.map(deviceMove);
    },
  };
}

const keyOf = (tenantId: string, sessionId: string): string => leaseKey('device', deviceActorId(tenantId, sessionId));

function roomiest(nodes: readonly NodeView[], but: string): string {
  const others = nodes.filter(({ id, state }) => id !== but && state === 'active');
  return others.sort((a, b) => a.load - b.load)[0]?.id ?? but;
}

const deviceMove = ({ id, from, to }: PlannedMove): DeviceMove => ({ device: id.split('.')[1] ?? id, from, to });
