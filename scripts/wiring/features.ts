import { subjectOf } from '../../actors/network/subject.ts';
import { announceMerge } from '../../actors/services/contacts/announce-merge.ts';
import { mergeContacts } from '../../actors/services/contacts/merge-contacts.ts';
import { updateContacts } from '../../actors/services/contacts/outbox-handler.ts';
import { splitContact } from '../../actors/services/contacts/split-contact.ts';
import { endDueSnoozes } from '../../actors/services/conversations/end-snoozes.ts';
import { endUnanswered } from '../../actors/services/conversations/older-messages.ts';
import { updateChats } from '../../actors/services/conversations/outbox-handler.ts';
import { recordEvents } from '../../actors/services/events/outbox-handler.ts';
import type { Joining } from '../../actors/services/identities/identities.ts';
import { dropDeletedFiles } from '../../actors/services/media/message-files.ts';
import type { OutboxHandler } from '../../actors/services/messaging/outbox-processor.ts';
import { monthOf } from '../../actors/services/messaging/sending.ts';
import { createSenders, type Senders } from '../../actors/services/messaging/sent-by.ts';
import { giveQuotaBack } from '../../actors/services/messaging/unsent-quota.ts';
import { createUsernames, type Usernames } from '../../actors/services/people/usernames.ts';
import { createOverdueSweep } from '../../actors/services/scheduling/overdue-sweep.ts';
import type { SecurityWatch } from '../../actors/services/security/security-watch.ts';
import { askNetwork } from '../../http/areas/network-features/ask.ts';
import { apiKeysIn } from '../../store/accounts/api-keys.ts';
import { oneTimeCodesIn } from '../../store/accounts/one-time-codes.ts';
import type { ContactRow } from '../../store/contacts/contacts.ts';
import { type DueChats, dueChatsIn } from '../../store/conversations/due-chats.ts';
import { holdsIn } from '../../store/privacy/holds.ts';
import { storeLinksIn } from '../../store/store-links/links.ts';
import { type AgentServices, startAgents } from './agents.ts';
import { type AiReplyServices, startAiReplies } from './ai-replies.ts';
import { type AnalyticsServices, startAnalytics } from './analytics.ts';
import { type AutoReplyServices, startAutoReplies } from './auto-replies.ts';
import { type BillingServices, startBilling } from './billing.ts';
import { type CampaignServices, startCampaigns } from './campaigns.ts';
import { type ConsentServices, startConsent } from './consent.ts';
import { type ContactParts, type ContactServices, startContacts } from './contacts.ts';
import { type IdentityServices, startIdentities } from './identities.ts';
import { type PreviewServices, startLinkPreviews } from './link-previews.ts';
import { type LiveServices, startLive } from './live.ts';
import { type NetworkFeatureServices, startNetworkFeatures } from './network-features.ts';
import { type SchedulingServices, startScheduling } from './scheduling.ts';
import { startSecurity } from './security.ts';
import type { SharedDeps } from './shared-deps.ts';
import { type StoreServices, startReminders, startStores } from './stores.ts';
import { startTenants, type TenantServices } from './tenants.ts';

export interface FeatureServices
  extends TenantServices,
    CampaignServices,
    LiveServices,
    IdentityServices,
    AgentServices,
    SchedulingServices,
    NetworkFeatureServices,
    PreviewServices,
    StoreServices,
    ContactServices,
    Pick<BillingServices, 'billing' | 'wakeDueAccounts'>,
    Omit<ConsentServices, 'outboxHandler'>,
    Omit<AnalyticsServices, 'outboxHandler'>,
    Omit<AiReplyServices, 'followUp'>,
    Omit<AutoReplyServices, 'outboxHandler'> {
  readonly securityWatch: SecurityWatch;
  readonly usernames: Usernames;
  /** Returns a keyed hash, for values that must not be guessable from stored data. */
  hashOf(text: string): string;
  split(contact: ContactRow, numbers: readonly string[], now: number): Promise<ContactRow>;
  readonly olderRequests: DueChats;
  wakeOverdueSends(now: number): Promise<void>;
  readonly senders: Senders;
  /** The order matters, because a STOP must be applied before anything else. */
  readonly outboxHandlers: readonly OutboxHandler[];
}

/** Functions that are called only after the start may refer to services that are created later. */
export function startFeatures(shared: SharedDeps, syncTemplates: ContactParts['syncTemplates']): FeatureServices {
  const { config, clock, chats, messages, usage, sending, hintDevice } = shared;
  const { plans } = config;
  const now = (): number => clock.now();
  const merged = async ({ tenantId, address, phone, knownSince }: Joining): Promise<void> => {
    const from = subjectOf(address) ?? address;
    await consentServices.consentService.merge(tenantId, from, phone, knownSince);
    await aiReplyServices.aiIntake.merge(tenantId, address, phone);
    await joinContacts(tenantId, from, phone);
  };
  const joinContacts = (tenantId: string, from: string, to: string): Promise<void> => {
    const announced = { merges: crm.merges, identities: identityServices.identities, eventLog };
    const told = (former: ContactRow, into: ContactRow) => announceMerge(announced, former, into, now());
    return mergeContacts({ ...crm, merged: told }, { tenantId, from, to }, now());
  };
  const identityServices = startIdentities(shared.store, {
    ...shared,
    merged,
    parted: (tenantId, lid, phone) => consentServices.consentService.share(tenantId, phone, lid),
    async ask(tenantId, digits) {
      const online = (await shared.devices.list(tenantId, null)).find(({ status, official }) => status === 'connected' && !official);
      return online ? shared.device(online).ask({ type: 'lookUp', digits }) : [];
    },
  });
  const hashOf = (text: string): string => shared.sealer.keyedHash('usernames', text);
  const usernames = createUsernames({
    guesses: oneTimeCodesIn(shared.store),
    hashOf,
    ask: (device, asked) => askNetwork(shared, device, 'people.byUsername', asked),
  });
  const {
    release,
    outboxHandler: updateScheduled,
    ...later
  } = startScheduling({
    ...shared,
    ...identityServices,
    usernames,
    plans,
    checkReminder: startReminders(shared),
    emit: (...what) => streams.live.emit(...what),
  });
  const { bill, watchQuota, ...billingServices } = startBilling({
    ...shared,
    eventLog: () => eventLog,
    tenantHints: () => tenantServices.tenantHints,
  });
  const snoozes = dueChatsIn(shared.store, 'snoozed_until');
  const olderRequests = dueChatsIn(shared.store, 'older_until');
  const releaseAll = async (tenantId: string) => {
    const done = await Promise.all([
      release(tenantId),
      endDueSnoozes({ chats, snoozes, eventLog }, tenantId, now()),
      endUnanswered({ chats, olderRequests, eventLog }, tenantId, now()),
    ]);
    return { more: done.some(({ more }) => more), nextAt: done.map(({ nextAt }) => nextAt).reduce(earliest) };
  };
  const tenantServices = startTenants({
    ...shared,
    release: releaseAll,
    bill,
    aiReplies: { due: (...what) => aiReplyServices.answering.due(...what), answer: (...what) => aiReplyServices.answering.answer(...what) },
  });
  const { eventLog, wakeups, tenantHints, readEgress } = tenantServices;
  const wakeOverdueSends = createOverdueSweep({
    ...later,
    snoozes,
    olderRequests,
    tenants: shared.tenants,
    async wake(tenantId, at) {
      await wakeups.put(tenantId, at, 'sends');
      tenantHints.eventsArrived(tenantId);
    },
  });
  const securityWatch = startSecurity({ ...shared, eventLog });
  const storeServices = startStores({ ...shared, ...tenantServices });
  const streams = startLive({ ...shared, ...identityServices, ...tenantServices });
  const { live } = streams;
  const crm = startContacts({
    ...shared,
    personReader: identityServices.personReader,
    async optIn(tenantId, phones, { asked, batch }, at) {
      const agreed = { status: 'opted_in', source: 'import', note: null, at, batch } as const;
      await consentServices.consentService.setAll(tenantId, phones, agreed, asked);
      const statuses = await shared.consents.statusOf(tenantId, phones);
      const kept = [...statuses.values()].filter((status) => status === 'opted_out').length;
      return { lifted: await shared.consents.liftedBy(tenantId, phones, batch), kept };
    },
    async optOut(tenantId, phones, asked, at) {
      const refused = { status: 'opted_out', source: 'import', note: null, at } as const;
      await consentServices.consentService.setAll(tenantId, phones, refused, asked);
    },
    readDocument: (job) => aiReplyServices.documents.work(job),
    syncTemplates,
  });
  const split: FeatureServices['split'] = (contact, numbers, at) =>
    splitContact(
      {
        ...crm,
        ...identityServices,
        consentService: consentServices.consentService,
        holds: holdsIn(shared.store),
        hashOf: (tenantId, phone) => shared.sealer.keyedHash(tenantId, phone),
      },
      contact,
      numbers,
      at,
    );
  const agents = startAgents({ ...shared, ...identityServices, live, eventLog });
  const answering = { ...shared, plans, sending: () => sending };
  const { outboxHandler: applyConsent, ...consentServices } = startConsent({
    ...answering,
    ...crm,
    eventLog,
    people: identityServices.people,
    hint: (tenant_id, _id) => hintDevice({ tenant_id, _id }),
  });
  const campaignServices = startCampaigns({
    ...shared,
    ...consentServices,
    personReader: identityServices.personReader,
    people: identityServices.people,
    crm,
    live,
    hintDevice,
  });
  shared.replyLimit.onWarning(async ({ of: { tenantId, sessionId: session_id }, level, used, limit, at }) => {
    const month = monthOf(at);
    const plan = (await shared.tenants.find(tenantId))?.plan;
    if (plan === undefined) return;
    const row = `official ${session_id}:${month}:${limit}:${level}`;
    const data = { level, used, limit, month, plan, session_id };
    await eventLog.record(tenantId, [{ session_id, type: 'quota.warning', row, occurred_at: at, data }]);
  });
  const { outboxHandler: markFigures, ...analytics } = startAnalytics({ ...shared, ...crm, ...agents, ...campaignServices, eventLog });
  const { followUp: followUpOnReplies, ...aiReplyServices } = startAiReplies({
    ...answering,
    ...identityServices,
    ...agents,
    ...consentServices,
    ...tenantServices,
    ...crm,
  });
  const { outboxHandler: answerThem, ...autoReplyServices } = startAutoReplies({
    ...answering,
    contacts: crm.contacts,
    consents: consentServices,
    aiIntake: aiReplyServices.aiIntake,
  });
  const outboxHandlers = [
    applyConsent,
    updateChats({ chats, messages, people: identityServices.people, ...agents }, now),
    updateContacts({ ...crm, ...identityServices, join: joinContacts }, now),
    campaignServices.followRecipients,
    campaignServices.noteReplies,
    recordEvents(eventLog, now),
    giveQuotaBack({ messages, usage }, now),
    watchQuota,
    updateScheduled,
    followUpOnReplies,
    answerThem,
    dropDeletedFiles(shared.media),
    shared.meters.outboxHandler,
    markFigures,
  ];
  const senders = createSenders({
    ...shared,
    ...agents,
    ...campaignServices,
    apiKeys: apiKeysIn(shared.store),
    links: storeLinksIn(shared.store),
  });
  billingServices.billing.onPlanChanged(campaignServices.campaignsChanged);
  return {
    ...identityServices,
    ...consentServices,
    ...autoReplyServices,
    ...aiReplyServices,
    ...tenantServices,
    ...streams,
    ...agents,
    ...campaignServices,
    ...analytics,
    securityWatch,
    wakeOverdueSends,
    olderRequests,
    ...later,
    ...storeServices,
    ...billingServices,
    ...crm,
    senders,
    ...startNetworkFeatures({ ...shared, ...crm }),
    ...startLinkPreviews(shared, readEgress),
    split,
    usernames,
    hashOf,
    outboxHandlers,
  };
}

const earliest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
