import type { Logger } from 'pino';
import { type Choose, createChoice } from '../../actors/services/agents/choose-agent.ts';
import { processDepartures, type TeamDeps } from '../../actors/services/agents/team.ts';
import { type Announce, createAnnounce, processAssignmentOutbox } from '../../actors/services/conversations/announce-assignment.ts';
import { recordEnd } from '../../actors/services/conversations/end-snoozes.ts';
import { createVisibility, type Visibility } from '../../actors/services/conversations/visibility.ts';
import type { EventLog } from '../../actors/services/events/event-log.ts';
import type { IdentityResolver } from '../../actors/services/identities/identities.ts';
import type { Live } from '../../actors/services/live/live.ts';
import type { Clock } from '../../runtime/clock.ts';
import { loginsIn } from '../../store/accounts/logins.ts';
import { type PhoneClaims, phoneClaimsIn } from '../../store/accounts/phone-claims.ts';
import type { Tenants } from '../../store/accounts/tenants.ts';
import { type Agents, agentsIn } from '../../store/agents/agents.ts';
import { type Assignments, assignmentsIn } from '../../store/agents/assignment.ts';
import type { ChatRow, Chats } from '../../store/conversations/chats.ts';
import type { Messages } from '../../store/messaging/messages.ts';
import type { Store } from '../../store/port.ts';

export interface AgentServices {
  readonly agents: Agents;
  readonly phoneClaims: PhoneClaims;
  readonly team: TeamDeps;
  readonly assignments: Assignments;
  readonly choose: Choose;
  readonly announce: Announce;
  readonly snoozeEnded: (chat: ChatRow) => Promise<void>;
  readonly visibility: Visibility;
  tidy(now: number): Promise<void>;
}

export interface AgentParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly tenants: Tenants;
  readonly chats: Chats;
  readonly messages: Messages;
  readonly people: IdentityResolver;
  readonly live: Live;
  readonly eventLog: EventLog;
}

export function startAgents({ clock, log, store, tenants, chats, messages, people, live, eventLog }: AgentParts): AgentServices {
  const agents = agentsIn(store);
  const phoneClaims = phoneClaimsIn(store);
  const assignments = assignmentsIn(store);
  const announce = createAnnounce({ chats, eventLog });
  const announceAll = (): Promise<void> => processAssignmentOutbox({ chats, eventLog }, announce);
  const team: TeamDeps = {
    agents,
    tenants,
    chats,
    logins: loginsIn(store),
    invalidate: live.authorizationChanged,
    announceSoon: () =>
      void announceAll().catch((cause) =>
        log.warn({ event: 'assignment.announcement_delayed', err: cause }, 'assignments will be announced later'),
      ),
  };
  return {
    agents,
    phoneClaims,
    team,
    assignments,
    choose: createChoice({ agents, assignments, chats, now: () => clock.now() }),
    announce,
    snoozeEnded: (chat) => recordEnd(eventLog, chat, clock.now()),
    visibility: createVisibility({ chats, messages, people }),
    tidy: async (now) => void (await Promise.all([processDepartures(team, now), announceAll()])),
  };
}
