import { type ClusteredKind, movable } from '../../runtime/cluster/cluster-actors.ts';
import type { TenantOwner } from '../../store/scheduling/wakeups.ts';
import { DRAIN_ORDER } from '../drain-order.ts';
import { tenant } from './behaviour/tenant.ts';
import { TenantEffects, type TenantEffectsDeps } from './effects/tenant-effects.ts';
import { TENANT_EFFECTS, type TenantCommand, type TenantEffect, type TenantEvent, type TenantState } from './protocol.ts';

export type TenantKind = ClusteredKind<TenantOwner, TenantState, TenantCommand, TenantEvent, TenantEffect>;

const WEIGHT = 0.1;
const AHEAD_MS = 60_000;

export function tenantKind(deps: TenantEffectsDeps): TenantKind {
  return {
    behaviour: tenant,
    policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: (failures) => 250 * 2 ** failures },
    mailboxLimit: 1_000,
    sleepAfterMs: 60_000,

    async wake(tenantId) {
      const { epoch } = await deps.wakeups.own(tenantId, deps.node);
      return { tenantId, epoch };
    },

    effectScopes: TENANT_EFFECTS,
    effectHandler: (_id, self, owner) => new TenantEffects(deps, owner, self),
    lost: { type: 'fenced' },

    drainOrder: DRAIN_ORDER.tenant,
    drain: (actor, _must, timeoutMs) => actor.ask({ type: 'drain' }, timeoutMs),
    async wanted() {
      const due = await deps.wakeups.due(deps.clock.now() + AHEAD_MS);
      return due.map((id) => movable(id, WEIGHT));
    },
  };
}
