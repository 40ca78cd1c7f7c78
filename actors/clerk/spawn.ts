import type { LeasedKind } from '../../runtime/cluster/leased.ts';
import { clerk } from './clerk.ts';
import { ClerkHands, type ClerkPorts } from './hands.ts';
import type { ClerkCommand, ClerkEffect, ClerkEvent, ClerkState } from './protocol.ts';

export type ClerkKind = LeasedKind<string, ClerkState, ClerkCommand, ClerkEvent, ClerkEffect>;

/** One clerk a tenant. No two do the same step but after a pause in which a lease was lost; then both lead to the same. */
export function clerkKind(ports: ClerkPorts): ClerkKind {
  return {
    behaviour: clerk,
    policy: { restart: 'transient', atMost: 5, withinMs: 60_000, backoffMs: (failures) => 250 * 2 ** failures },
    mailboxLimit: 1_000,
    sleepAfterMs: 60_000,
    wake: (tenantId) => tenantId,
    hands: (tenantId, self, _args, lease) => new ClerkHands(ports, tenantId, self, lease),
    lost: { type: 'fenced' },
  };
}
