import type { LeasedKind } from '../../runtime/cluster/leased.ts';
import type { TenantOwner } from '../../store/agenda.ts';
import { TenantHands, type TenantPorts } from './hands.ts';
import type { TenantCommand, TenantEffect, TenantEvent, TenantState } from './protocol.ts';
import { tenant } from './tenant.ts';

export type TenantKind = LeasedKind<TenantOwner, TenantState, TenantCommand, TenantEvent, TenantEffect>;

export function tenantKind(ports: TenantPorts): TenantKind {
  return {
    behaviour: tenant,
    policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: (failures) => 250 * 2 ** failures },
    mailboxLimit: 1_000,
    sleepAfterMs: 60_000,

    async wake(tenantId) {
      const { epoch } = await ports.agenda.own(tenantId, ports.node);
      return { tenantId, epoch };
    },

    hands: (_id, self, owner, lease) => new TenantHands(ports, owner, self, lease),
    lost: { type: 'fenced' },
  };
}
