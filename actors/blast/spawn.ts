import type { LeasedKind } from '../../runtime/cluster/leased.ts';
import type { BlastOwner, BlastRow } from '../../store/blasts.ts';
import { blast } from './blast.ts';
import { BlastHands, type BlastPorts } from './hands.ts';
import type { BlastCommand, BlastEffect, BlastEvent, BlastState } from './protocol.ts';

export type BlastKind = LeasedKind<BlastOwner, BlastState, BlastCommand, BlastEvent, BlastEffect>;

/** The id of a campaign's actor: keys of actors contain the tenant. */
export const blastActorId = ({ tenant_id, _id }: Pick<BlastRow, 'tenant_id' | '_id'>): string => `${tenant_id}.${_id}`;

export function blastKind(ports: BlastPorts): BlastKind {
  return {
    behaviour: blast,
    policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: (failures) => 250 * 2 ** failures },
    mailboxLimit: 1_000,
    sleepAfterMs: 30_000,

    async wake(id) {
      const [tenantId = '', blastId = ''] = id.split('.');
      const row = await ports.blasts.own(tenantId, blastId, ports.node);
      return row && { tenantId, blastId, epoch: row.epoch };
    },

    hands: (_id, self, owner, lease) => new BlastHands(ports, owner, self, lease),
    lost: { type: 'fenced' },
  };
}
