import type { Logger } from 'pino';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import type { Sandbox } from '../../actors/network/sandbox/sandbox.ts';
import { createOneTimeCodeService } from '../../actors/services/accounts/one-time-codes.ts';
import { givePlan } from '../../actors/services/billing/billing.ts';
import { createChannelService } from '../../actors/services/channels/channel-service.ts';
import { fillTemplate, type TemplateUse } from '../../actors/services/contacts/templates.ts';
import { createChatNames } from '../../actors/services/conversations/chat-names.ts';
import { createCeremonies } from '../../actors/services/devices/ceremonies.ts';
import type { DirectFiles } from '../../actors/services/media/direct-upload.ts';
import { createFetcher } from '../../actors/services/media/fetcher.ts';
import { createFileAccess } from '../../actors/services/media/file-access.ts';
import { createUploadLinks } from '../../actors/services/media/upload-links.ts';
import { account } from '../../http/areas/accounts/account-rows.ts';
import { attention } from '../../http/areas/accounts/attention-rows.ts';
import { me } from '../../http/areas/accounts/me-rows.ts';
import { profile } from '../../http/areas/accounts/profile-rows.ts';
import { settings } from '../../http/areas/accounts/settings-rows.ts';
import { usage } from '../../http/areas/accounts/usage-rows.ts';
import { assignment } from '../../http/areas/agents/assignment-rows.ts';
import { agents } from '../../http/areas/agents/rows.ts';
import { aiDocuments } from '../../http/areas/ai-reply/document-rows.ts';
import { aiReply } from '../../http/areas/ai-reply/rows.ts';
import { aiSuggestions } from '../../http/areas/ai-reply/suggest-rows.ts';
import { analytics } from '../../http/areas/analytics/rows.ts';
import { apiKeys } from '../../http/areas/api-keys/rows.ts';
import { audit as auditArea, operatorAudit } from '../../http/areas/audit/rows.ts';
import { passkeys } from '../../http/areas/auth/passkey-rows.ts';
import { auth } from '../../http/areas/auth/rows.ts';
import { twoFactor } from '../../http/areas/auth/two-factor-rows.ts';
import { autoReply } from '../../http/areas/auto-reply/rows.ts';
import { paymentHooks } from '../../http/areas/billing/hook-rows.ts';
import { billingPages, sandboxPay } from '../../http/areas/billing/page-rows.ts';
import { billing } from '../../http/areas/billing/rows.ts';
import { business } from '../../http/areas/business/rows.ts';
import { campaigns } from '../../http/areas/campaigns/rows.ts';
import { channels } from '../../http/areas/channels/rows.ts';
import { chatLabels } from '../../http/areas/chat-labels/rows.ts';
import { consent } from '../../http/areas/consent/rows.ts';
import { consoleSession } from '../../http/areas/console/session-rows.ts';
import { contactWork } from '../../http/areas/contacts/bulk-rows.ts';
import { contactImports } from '../../http/areas/contacts/import-rows.ts';
import { labels } from '../../http/areas/contacts/label-rows.ts';
import { contacts } from '../../http/areas/contacts/rows.ts';
import { segments } from '../../http/areas/contacts/segment-rows.ts';
import { chats } from '../../http/areas/conversations/chat-rows.ts';
import { inbox } from '../../http/areas/conversations/rows.ts';
import { events } from '../../http/areas/events/rows.ts';
import { communities } from '../../http/areas/groups/community-rows.ts';
import { groupInvites } from '../../http/areas/groups/invite-rows.ts';
import { groupMembers } from '../../http/areas/groups/member-rows.ts';
import { groups } from '../../http/areas/groups/rows.ts';
import { createUsernameLookUps } from '../../http/areas/look-ups.ts';
import { media } from '../../http/areas/media/rows.ts';
import { mediaUploads } from '../../http/areas/media/upload-rows.ts';
import { messageActs } from '../../http/areas/messages/action-rows.ts';
import { messageWork } from '../../http/areas/messages/bulk-rows.ts';
import { messages } from '../../http/areas/messages/rows.ts';
import { networkAccount } from '../../http/areas/network-account/rows.ts';
import { askNetwork } from '../../http/areas/network-features/ask.ts';
import { networkFeatures } from '../../http/areas/network-features/rows.ts';
import { officialHooks } from '../../http/areas/official/hook-rows.ts';
import { officialTemplateRows } from '../../http/areas/official/templates.ts';
import { onboarding } from '../../http/areas/onboarding/rows.ts';
import { adminBilling } from '../../http/areas/operator/billing-rows.ts';
import { tenantHealth } from '../../http/areas/operator/health-rows.ts';
import { identityArea } from '../../http/areas/operator/identity-rows.ts';
import { networkArea } from '../../http/areas/operator/network-rows.ts';
import { nodeHealth } from '../../http/areas/operator/node-health-rows.ts';
import { nodes } from '../../http/areas/operator/node-rows.ts';
import { priceArea } from '../../http/areas/operator/price-rows.ts';
import { senderArea } from '../../http/areas/operator/sender-rows.ts';
import { tenants } from '../../http/areas/operator/tenant-rows.ts';
import { operatorTwoFactor } from '../../http/areas/operator/two-factor-rows.ts';
import { privacyExports } from '../../http/areas/privacy/export-rows.ts';
import { privacyHolds } from '../../http/areas/privacy/hold-rows.ts';
import { privacyRetention } from '../../http/areas/privacy/retention-rows.ts';
import { privacy as privacyArea } from '../../http/areas/privacy/rows.ts';
import { push } from '../../http/areas/push/rows.ts';
import { receipts } from '../../http/areas/receipts/rows.ts';
import { sandbox as sandboxArea } from '../../http/areas/sandbox/rows.ts';
import { recurring } from '../../http/areas/scheduling/recurring-rows.ts';
import { rotators } from '../../http/areas/scheduling/rotator-rows.ts';
import { scheduled } from '../../http/areas/scheduling/scheduled-rows.ts';
import { ceremonies } from '../../http/areas/sessions/ceremony-rows.ts';
import { moveIn } from '../../http/areas/sessions/move-in-rows.ts';
import { sessions } from '../../http/areas/sessions/rows.ts';
import { sessionWork } from '../../http/areas/sessions/status-rows.ts';
import { statuses } from '../../http/areas/statuses/rows.ts';
import { storeHooks } from '../../http/areas/stores/hook-rows.ts';
import { stores } from '../../http/areas/stores/rows.ts';
import { templates } from '../../http/areas/templates/rows.ts';
import { webhooks } from '../../http/areas/webhooks/rows.ts';
import type { Tokens } from '../../http/auth/tokens.ts';
import { consolePages } from '../../http/console/rows.ts';
import { createConsole } from '../../http/console/served-console.ts';
import { type BoundArea, bind } from '../../http/core/bind.ts';
import { networkOf } from '../../http/core/caller-address.ts';
import { type Limits, takeOrRefuse } from '../../http/limits/limits.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { FairSlots } from '../../runtime/fair-slots.ts';
import type { ApiKeys } from '../../store/accounts/api-keys.ts';
import type { Logins } from '../../store/accounts/logins.ts';
import { oneTimeCodesIn } from '../../store/accounts/one-time-codes.ts';
import type { OperatorSessions } from '../../store/accounts/operator-sessions.ts';
import { passkeysIn } from '../../store/accounts/passkeys.ts';
import type { SecondFactors } from '../../store/accounts/second-factors.ts';
import { signUpsIn } from '../../store/accounts/sign-ups.ts';
import { documentsIn } from '../../store/ai-reply/documents.ts';
import { consentConfigsIn } from '../../store/consent/consent-configs.ts';
import { ceremoniesIn } from '../../store/devices/ceremonies.ts';
import { isUnavailable } from '../../store/engines/unavailable.ts';
import type { MediaUsage } from '../../store/media/media-usage.ts';
import { openUploadLinksIn } from '../../store/media/upload-links.ts';
import { idempotencyIn } from '../../store/messaging/idempotency.ts';
import type { Store } from '../../store/port.ts';
import { deletionsIn } from '../../store/privacy/deletions.ts';
import type { ActorServices } from './actors.ts';
import { type Config, isSandboxServed } from './config.ts';
import type { Privacy } from './privacy.ts';
import type { Secrets } from './secrets.ts';
import { eventsKeptMs } from './tenants.ts';

export interface AreaParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly services: ActorServices;
  readonly privacy: Privacy;
  readonly directFiles: DirectFiles | null;
  readonly mediaUsage: MediaUsage;
  readonly uploads: FairSlots;
  readonly secrets: Secrets;
  readonly sandbox: Sandbox | null;
  readonly limits: Limits;
}

export interface Credentials {
  readonly keys: ApiKeys;
  readonly logins: Logins;
  readonly secondFactors: SecondFactors;
  readonly operatorSessions: OperatorSessions;
  readonly tokens: Tokens;
}

export interface AreaCallbacks {
  invalidate(tenantId: string): void;
  address(): string;
}

const MINUTE_MS = 60_000;
const HOOKS_PER_MINUTE = 300;
const FORGERIES_PER_MINUTE = 60;
const CHECKOUTS_PER_MINUTE = 10;
const ASKS_PER_MINUTE = 60;

const expectBelow = (limits: Limits, key: string, max: number, now: number): Promise<void> =>
  takeOrRefuse(limits, { key, max, windowMs: MINUTE_MS }, now);

export function bindAreas(
  { config, clock, log, store, services, privacy, directFiles, mediaUsage, uploads, secrets, sandbox, limits }: AreaParts,
  credentials: Credentials,
  { invalidate, address }: AreaCallbacks,
): readonly BoundArea[] {
  const oneTimeCodes = oneTimeCodesIn(store);
  const codes = createOneTimeCodeService(oneTimeCodes, secrets.jwt, clock);
  const fetcher = createFetcher({ egress: services.readEgress, clock });
  const shared = {
    ...services,
    ...credentials,
    files: createFileAccess(services),
    mediaUsage,
    uploads,
    fetcher,
    idempotency: idempotencyIn(store, services.sealer.keyedHash),
    codes,
    signUps: signUpsIn(store),
    passkeys: passkeysIn(store),
    oneTimeCodes,
    limits,
    lookUps: createUsernameLookUps({
      ...services,
      limits,
      findPerson: (device, phone) => askNetwork(services, device, 'people.get', { phone }),
    }),
    plans: config.plans,
    ceremonies: createCeremonies({
      secret: secrets.jwt,
      ceremonies: ceremoniesIn(store),
      devices: services.devices,
      tenants: services.tenants,
      deletions: deletionsIn(store),
    }),
    chatNames: createChatNames(services),
    channelService: createChannelService({ ...services, ask: (device, name, input) => askNetwork(services, device, name, input) }),

    fillTemplate: (tenantId: string, from: TemplateUse, chat: string) => fillTemplate(services, tenantId, from, chat),
  };
  const consentConfigs = consentConfigsIn(store);
  const onSettingsChanged = services.settingsChanged;
  const mayAsk = async (invoiceId: string, now: number): Promise<boolean> =>
    (await limits.take(`billing-asks:${invoiceId}`, ASKS_PER_MINUTE, MINUTE_MS, now)).ok;
  const countForgery = (address: string, now: number): Promise<void> =>
    expectBelow(limits, `payment-forgeries:${networkOf(address)}`, FORGERIES_PER_MINUTE, now);

  const signIn = {
    ...shared,
    invalidate,
    sendCode: services.sender.send,
    codeNotSent: (cause: unknown) => log.warn({ event: 'auth.code_not_sent', err: cause }, 'a login code was not delivered'),
  };

  return [
    bind(auth, { ...signIn, via: config.network }),
    bind(consoleSession, { ...signIn, address }),
    bind(me, shared),
    bind(twoFactor, { ...shared, invalidate, address }),
    bind(passkeys, { ...shared, invalidate, address }),
    bind(analytics, shared),
    bind(auditArea, shared),
    bind(privacyArea, { ...shared, ...privacy }),
    bind(privacyExports, { ...shared, ...privacy }),
    bind(privacyRetention, { ...shared, ...privacy }),
    bind(account, { ...shared, ...privacy }),
    bind(privacyHolds, { ...shared, ...privacy }),
    bind(operatorAudit, shared),
    bind(agents, { ...services.team, numbers: services.numbers, limits }),
    bind(assignment, shared),
    bind(apiKeys, { ...shared, deletions: deletionsIn(store), invalidate }),
    bind(sessions, { ...shared, address }),
    bind(ceremonies, shared),
    bind(moveIn, shared),
    bind(sessionWork, shared),
    bind(messages, shared),
    bind(media, shared),
    bind(mediaUploads, {
      ...shared,
      directFiles,
      uploadLinks: createUploadLinks({
        secret: secrets.jwt,
        links: openUploadLinksIn(store),
        tenants: services.tenants,
        deletions: deletionsIn(store),
      }),
      address,
    }),
    bind(messageWork, { ...shared, isStoreDown: isUnavailable }),
    bind(campaigns, {
      ...shared,
      templateOf: (tenantId, id) => services.labels.templates.find(tenantId, id),
      rotatorExists: async (tenantId, id) => (await services.rotators.find(tenantId, id)) !== null,
      requiresAttestation: async (tenantId) => (await consentConfigs.find(tenantId))?.config.require_attestation === true,
    }),
    bind(scheduled, shared),
    bind(recurring, shared),
    bind(rotators, shared),
    bind(messageActs, shared),
    bind(receipts, shared),
    bind(networkFeatures, shared),
    bind(groups, shared),
    bind(groupMembers, shared),
    bind(groupInvites, shared),
    bind(communities, shared),
    bind(networkAccount, shared),
    bind(business, shared),
    bind(chatLabels, shared),
    bind(channels, shared),
    bind(statuses, shared),
    bind(inbox, shared),
    bind(chats, shared),
    bind(contacts, shared),
    bind(contactWork, shared),
    bind(contactImports, shared),
    bind(labels, { ...shared, forget: services.jobHints.forget }),
    bind(segments, shared),
    bind(templates, shared),
    bind(officialTemplateRows, shared),
    bind(onboarding, shared),
    bind(consent, shared),
    bind(autoReply, shared),
    bind(aiReply, shared),
    bind(aiSuggestions, shared),
    bind(aiDocuments, shared),
    bind(webhooks, shared),
    bind(events, { ...shared, eventsKeptMs: eventsKeptMs(config) }),
    bind(stores, { ...shared, address }),
    bind(storeHooks, {
      receiving: {
        ...services.storeReceiving,
        countHook: (linkId, now) => expectBelow(limits, `store-hooks:${linkId}`, HOOKS_PER_MINUTE, now),
        countForgery: (address, now) => expectBelow(limits, `store-forgeries:${networkOf(address)}`, FORGERIES_PER_MINUTE, now),
      },
    }),
    bind(officialHooks, {
      officialReceiving: {
        ...services.officialReceiving,
        countForgery: (address, now) => expectBelow(limits, `official-forgeries:${networkOf(address)}`, FORGERIES_PER_MINUTE, now),
      },
    }),
    bind(billing, {
      ...shared,
      mayAsk,
      billing: {
        ...services.billing,
        countCheckout: (tenantId, now) => expectBelow(limits, `checkouts:${tenantId}`, CHECKOUTS_PER_MINUTE, now),
      },
    }),
    bind(paymentHooks, { receivingPayments: { ...services.billing, countForgery } }),
    bind(billingPages, { ...shared, mayAsk }),
    bind(adminBilling, shared),
    bind(priceArea, shared),
    bind(push, shared),
    bind(profile, { ...shared, invalidate, onSettingsChanged }),
    bind(settings, { ...shared, onSettingsChanged }),
    bind(usage, shared),
    bind(attention, { attention: { ...shared, links: shared.stores.links, documentRows: documentsIn(store) } }),
    bind(tenants, {
      ...shared,
      invalidate,
      givePlan: (tenantId, plan) => givePlan(services.billing, tenantId, plan),
    }),
    bind(tenantHealth, shared),
    bind(senderArea, shared),
    bind(nodes, shared),
    bind(nodeHealth, shared),
    bind(networkArea, shared),
    bind(identityArea, shared),
    bind(operatorTwoFactor, shared),
    ...(services.billing.providers.has('sandbox') ? [bind(sandboxPay, { ...shared, mayAsk })] : []),
    ...(sandbox && isSandboxServed(config) ? [bind(sandboxArea, sandboxVerbs(sandbox))] : []),
    bind(consolePages, {
      console: createConsole({
        isDevelopment: config.console_dev,
        hasSandbox: sandbox !== null && isSandboxServed(config),
        builtConsole: config.builtConsole,
      }),
    }),
  ];
}
