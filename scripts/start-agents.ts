import { settleLeaving, type TeamPorts } from '../actors/agents/team.ts';
import type { Live } from '../actors/stream/live.ts';
import { type Agents, agentsIn } from '../store/agents.ts';
import type { Chats } from '../store/chats.ts';
import type { Store } from '../store/collection.ts';
import { loginsIn } from '../store/logins.ts';
import { type PhoneClaims, phoneClaimsIn } from '../store/phone-claims.ts';
import type { Tenants } from '../store/tenants.ts';

/** Agents of all tenants. */
export interface AgentWorld {
  readonly agents: Agents;
  readonly phoneClaims: PhoneClaims;
  readonly team: TeamPorts;
  /** Finishes what a process that died left behind. `now` is epoch ms. */
  tidy(now: number): Promise<void>;
}

export interface AgentParts {
  readonly store: Store;
  readonly tenants: Tenants;
  readonly chats: Chats;
  readonly live: Live;
}

export function startAgents({ store, tenants, chats, live }: AgentParts): AgentWorld {
  const agents = agentsIn(store);
  const phoneClaims = phoneClaimsIn(store);
  const team: TeamPorts = { agents, phoneClaims, tenants, chats, logins: loginsIn(store), invalidate: live.standingChanged };
  return { agents, phoneClaims, team, tidy: (now) => settleLeaving(team, now) };
}
