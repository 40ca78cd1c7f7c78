import type { Logger } from 'pino';
import { type Choose, createChoice } from '../actors/agents/choosing.ts';
import { settleLeaving, type TeamPorts } from '../actors/agents/team.ts';
import type { EventLog } from '../actors/events/event-log.ts';
import { type Announce, announceOwed, createAnnounce } from '../actors/inbox/assigning.ts';
import { createSight, type Sight } from '../actors/inbox/sight.ts';
import type { People } from '../actors/people/people.ts';
import type { Live } from '../actors/stream/live.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Agents, agentsIn } from '../store/agents.ts';
import { type Assignments, assignmentsIn } from '../store/assignment.ts';
import type { Chats } from '../store/chats.ts';
import type { Store } from '../store/collection.ts';
import { loginsIn } from '../store/logins.ts';
import type { Messages } from '../store/messages.ts';
import { type PhoneClaims, phoneClaimsIn } from '../store/phone-claims.ts';
import type { Tenants } from '../store/tenants.ts';

/** Agents of all tenants, and how chats find them. */
export interface AgentWorld {
  readonly agents: Agents;
  readonly phoneClaims: PhoneClaims;
  readonly team: TeamPorts;
  readonly assignments: Assignments;
  readonly choose: Choose;
  readonly announce: Announce;
  readonly sight: Sight;
  /** Finishes what a process that died left behind. `now` is epoch ms. */
  tidy(now: number): Promise<void>;
}

export interface AgentParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly tenants: Tenants;
  readonly chats: Chats;
  readonly messages: Messages;
  readonly people: People;
  readonly live: Live;
  readonly eventLog: EventLog;
}

export function startAgents({ clock, log, store, tenants, chats, messages, people, live, eventLog }: AgentParts): AgentWorld {
  const agents = agentsIn(store);
  const phoneClaims = phoneClaimsIn(store);
  const assignments = assignmentsIn(store);
  const announce = createAnnounce({ chats, eventLog });
  const announceAll = (): Promise<void> => announceOwed({ chats, eventLog }, announce);
  const team: TeamPorts = {
    agents,
    phoneClaims,
    tenants,
    chats,
    logins: loginsIn(store),
    invalidate: live.standingChanged,
    announceSoon: () => void announceAll().catch((cause) => log.warn({ err: cause }, 'assignments are announced later')),
  };
  return {
    agents,
    phoneClaims,
    team,
    assignments,
    choose: createChoice({ agents, assignments, chats, now: () => clock.now() }),
    announce,
    sight: createSight({ chats, messages, people }),
    tidy: async (now) => void (await Promise.all([settleLeaving(team, now), announceAll()])),
  };
}
