import type { TicketHolder } from '../../../actors/services/live/visibility.ts';
import { openLogin } from '../../../http/auth/logins.ts';
import { createTokens } from '../../../http/auth/tokens.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { present } from '../../../runtime/invariant.ts';
import { loginsIn } from '../../../store/accounts/logins.ts';
import { tenantsIn } from '../../../store/accounts/tenants.ts';
import { agentsIn } from '../../../store/agents/agents.ts';
import type { Node } from '../../wiring/node.ts';
import { startBenchNode } from '../bench-node.ts';
import { aTenant } from '../planted.ts';

export interface TicketNode {
  readonly node: Node;
  readonly port: number;
  readonly tenantId: string;
  readonly paths: readonly string[];
}

export async function startTicketNode(count: number): Promise<TicketNode> {
  const { node, store } = await startBenchNode({ streams_per_tenant: count });
  const tenant = await aTenant(store);
  const now = systemClock.now();
  const deps = {
    agents: agentsIn(store),
    tenants: tenantsIn(store),
    logins: loginsIn(store),
    tokens: createTokens('a secret for one benchmark run only'),
  };
  const owner = { tenantId: tenant._id, role: 'admin', agentId: tenant._id, agentName: tenant.name } as const;
  const { token } = await openLogin(
    { ...deps, invalidate: () => {} },
    owner,
    { auth: 'otp', address: '127.0.0.1', secondFactorAt: null },
    now,
  );
  const claims = await deps.tokens.read(token, now);
  const { family, expiresAt: tokenExpiresAt } = present(claims, 'what the token says');
  const viewer: TicketHolder = {
    ...owner,
    family,
    keyId: null,
    keyHash: null,
    manages: true,
    tokenExpiresAt,
    sessionIds: null,
    events: null,
  };
  const tickets = await Promise.all(Array.from({ length: count }, () => node.live.ticket(viewer, now)));
  const paths = tickets.map((ticket) => `/v1/events?ticket=${ticket}`);
  return { node, port: Number(new URL(node.url).port), tenantId: tenant._id, paths };
}
