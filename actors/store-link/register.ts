import { type ClusteredKind, movable } from '../../runtime/cluster/cluster-actors.ts';
import type { StoreLinkOwner, StoreLinkRow } from '../../store/store-links/links.ts';
import { DRAIN_ORDER } from '../drain-order.ts';
import { storeLink } from './behaviour/store-link.ts';
import { type StoreLinkDeps, StoreLinkEffects } from './effects/store-link-effects.ts';
import { STORE_LINK_EFFECTS, type StoreLinkCommand, type StoreLinkEffect, type StoreLinkEvent, type StoreLinkState } from './protocol.ts';

export type StoreLinkKind = ClusteredKind<StoreLinkOwner, StoreLinkState, StoreLinkCommand, StoreLinkEvent, StoreLinkEffect>;

const WEIGHT = 0.1;

export const storeLinkActorId = (tenantId: string, linkId: StoreLinkRow['_id']): string => `${tenantId}.${linkId}`;

export function storeLinkKind(deps: StoreLinkDeps): StoreLinkKind {
  return {
    behaviour: storeLink,
    policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: (failures) => 250 * 2 ** failures },
    mailboxLimit: 1_000,
    sleepAfterMs: 30_000,

    async wake(id) {
      const [tenantId = '', linkId = ''] = id.split('.');
      const row = await deps.links.own(tenantId, linkId, deps.node);
      // The store was disconnected. Its later webhooks would otherwise wait until they expire.
      if (!row) await deps.hooks.removeAll(linkId);
      return row && { tenantId, linkId, epoch: row.epoch };
    },

    effectScopes: STORE_LINK_EFFECTS,
    effectHandler: (_id, self, owner) => new StoreLinkEffects(deps, owner, self),
    lost: { type: 'fenced' },

    drainOrder: DRAIN_ORDER.storeLink,
    drain: (actor, _must, timeoutMs) => actor.ask({ type: 'drain' }, timeoutMs),
    async wanted() {
      const waiting = await deps.hooks.waiting();
      return waiting.map(({ tenant_id, link_id }) => movable(storeLinkActorId(tenant_id, link_id), WEIGHT));
    },
  };
}
