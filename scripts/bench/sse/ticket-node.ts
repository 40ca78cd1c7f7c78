import type { Viewer } from '../../../actors/stream/sight.ts';
import { openLogin } from '../../../http/logins.ts';
import { createTokens } from '../../../http/tokens.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { agentsIn } from '../../../store/agents.ts';
import { loginsIn } from '../../../store/logins.ts';
import { tenantsIn } from '../../../store/tenants.ts';
import type { Node } from '../../node.ts';
import { startBenchNode } from '../bench-node.ts';
import { aTenant } from '../planted.ts';

export interface TicketNode {
  readonly node: Node;
  readonly port: number;
  readonly tenantId: string;
  /** One for each stream, with its ticket. */
  readonly paths: readonly string[];
}

/** A whole node whose one tenant holds tickets for `count` streams. */
export async function startTicketNode(count: number): Promise<TicketNode> {
  const { node, store } = await startBenchNode({ streams_per_tenant: count });
  const tenant = await aTenant(store);
  const now = systemClock.now();
  const ports = {
    agents: agentsIn(store),
    tenants: tenantsIn(store),
    logins: loginsIn(store),
    tokens: createTokens('a secret for one benchmark run only'),
  };
  const owner = { tenantId: tenant._id, role: 'admin', agentId: tenant._id, agentName: tenant.name } as const;
  const { token } = await openLogin({ ...ports, invalidate: () => {} }, owner, now);
  const claims = await ports.tokens.read(token, now);
  const viewer: Viewer = { ...owner, family: claims!.family, keyId: null, sessionIds: null };
  const tickets = await Promise.all(Array.from({ length: count }, () => node.live.ticket(viewer, now)));
  const paths = tickets.map((ticket) => `/v1/events?ticket=${ticket}`);
  return { node, port: Number(new URL(node.url).port), tenantId: tenant._id, paths };
}
