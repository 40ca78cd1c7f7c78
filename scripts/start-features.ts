import { keepContacts } from '../actors/crm/follow-contacts.ts';
import { recordEvents } from '../actors/events/follow-messages.ts';
import type { FollowUp } from '../actors/follow-ups.ts';
import { keepChats } from '../actors/inbox/follow-chats.ts';
import { dropDeletedFiles } from '../actors/media/message-files.ts';
import { giveQuotaBack } from '../actors/unsent-quota.ts';
import { type AgentWorld, startAgents } from './start-agents.ts';
import { type AutoReplyWorld, startAutoReplies } from './start-auto-replies.ts';
import { type BlastWorld, startBlasts } from './start-blasts.ts';
import { type ConsentWorld, startConsent } from './start-consent.ts';
import { type CrmWorld, startCrm } from './start-crm.ts';
import type { Ground } from './start-ground.ts';
import { type LaterWorld, startLater } from './start-later.ts';
import { type PeopleWorld, startPeople } from './start-people.ts';
import { type StreamWorld, startStreams } from './start-streams.ts';
import { startTenants, type TenantWorld } from './start-tenants.ts';

/** Everything that a node does beside running phones. */
export interface FeatureWorld
  extends TenantWorld,
    BlastWorld,
    StreamWorld,
    PeopleWorld,
    AgentWorld,
    LaterWorld,
    CrmWorld,
    Omit<ConsentWorld, 'followUp'>,
    Omit<AutoReplyWorld, 'followUp'> {
  /** What follows from a message, in this order: a STOP is heard before anything else is done. */
  readonly followUps: readonly FollowUp[];
}

/** Features that need each other meet here: what is called only once the node runs may be named before it is made. */
export function startFeatures(ground: Ground): FeatureWorld {
  const { config, clock, chats, messages, usage, sending, hintDevice } = ground;
  const { plans } = config;
  const now = (): number => clock.now();
  const peopleWorld = startPeople(ground.store, { ...ground, united: (...pair) => consentWorld.consentBook.unite(...pair) });
  const {
    release,
    followUp: followScheduled,
    ...later
  } = startLater({ ...ground, ...peopleWorld, plans, emit: (...what) => streams.live.emit(...what) });
  const tenantWorld = startTenants({ ...ground, release });
  const { eventLog } = tenantWorld;
  const streams = startStreams({ ...ground, ...peopleWorld, ...tenantWorld });
  const { live } = streams;
  const crm = startCrm({
    ...ground,
    optIn: async (tenantId, phones, asked, at) =>
      void (await consentWorld.consentBook.setAll(tenantId, phones, { status: 'opted_in', source: 'import', note: null, at }, asked)),
  });
  const agents = startAgents({ ...ground, ...peopleWorld, live, eventLog });
  const blastWorld = startBlasts({ ...ground, crm, live, hintDevice });
  const answering = { ...ground, plans, sending: () => sending };
  const { followUp: heedConsent, ...consentWorld } = startConsent({
    ...answering,
    eventLog,
    people: peopleWorld.people,
    hint: (tenant_id, _id) => hintDevice({ tenant_id, _id }),
  });
  const { followUp: answerThem, ...autoReplyWorld } = startAutoReplies({ ...answering, contacts: crm.contacts, consents: consentWorld });
  const followUps = [
    heedConsent,
    keepChats({ chats, messages, people: peopleWorld.people, ...agents }, now),
    keepContacts({ ...crm, ...peopleWorld }, now),
    blastWorld.followRecipients,
    recordEvents(eventLog, now),
    giveQuotaBack({ messages, usage }),
    followScheduled,
    answerThem,
    dropDeletedFiles(ground.media),
  ];
  return {
    ...peopleWorld,
    ...consentWorld,
    ...autoReplyWorld,
    ...tenantWorld,
    ...streams,
    ...agents,
    ...blastWorld,
    ...later,
    ...crm,
    followUps,
  };
}
