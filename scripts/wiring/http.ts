import type { Logger } from 'pino';
import { refusal } from '../../actors/domain/refusals.ts';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import type { Sandbox } from '../../actors/network/sandbox/sandbox.ts';
import { createOneTimeCodeService } from '../../actors/services/accounts/one-time-codes.ts';
import type { Sender } from '../../actors/services/accounts/platform-sender.ts';
import { givePlan } from '../../actors/services/billing/billing.ts';
import { fillTemplate, textOf } from '../../actors/services/contacts/templates.ts';
import { createChatNames } from '../../actors/services/conversations/chat-names.ts';
import type { DirectFiles } from '../../actors/services/media/direct-upload.ts';
import { createFetcher } from '../../actors/services/media/fetcher.ts';
import { createFileAccess } from '../../actors/services/media/file-access.ts';
import { createUploadLinks } from '../../actors/services/media/upload-links.ts';
import { account } from '../../http/areas/accounts/account-rows.ts';
import { me } from '../../http/areas/accounts/me-rows.ts';
import { profile } from '../../http/areas/accounts/profile-rows.ts';
import { settings } from '../../http/areas/accounts/settings-rows.ts';
import { usage } from '../../http/areas/accounts/usage-rows.ts';
import { assignment } from '../../http/areas/agents/assignment-rows.ts';
import { agents } from '../../http/areas/agents/rows.ts';
import { aiDocuments } from '../../http/areas/ai-reply/document-rows.ts';
import { aiReply } from '../../http/areas/ai-reply/rows.ts';
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
import { campaigns } from '../../http/areas/campaigns/rows.ts';
import { consent } from '../../http/areas/consent/rows.ts';
import { contactWork } from '../../http/areas/contacts/bulk-rows.ts';
import { contactImports } from '../../http/areas/contacts/import-rows.ts';
import { labels } from '../../http/areas/contacts/label-rows.ts';
import { contacts } from '../../http/areas/contacts/rows.ts';
import { segments } from '../../http/areas/contacts/segment-rows.ts';
import { chats } from '../../http/areas/conversations/chat-rows.ts';
import { inbox } from '../../http/areas/conversations/rows.ts';
import { expectDocumentedEvents } from '../../http/areas/events/catalogue.ts';
import { events } from '../../http/areas/events/rows.ts';
import { media } from '../../http/areas/media/rows.ts';
import { mediaUploads } from '../../http/areas/media/upload-rows.ts';
import { messageActs } from '../../http/areas/messages/action-rows.ts';
import { messageWork } from '../../http/areas/messages/bulk-rows.ts';
import { messages } from '../../http/areas/messages/rows.ts';
import { onboarding } from '../../http/areas/onboarding/rows.ts';
import { adminBilling } from '../../http/areas/operator/billing-rows.ts';
import { tenantHealth } from '../../http/areas/operator/health-rows.ts';
import { nodes } from '../../http/areas/operator/node-rows.ts';
import { senderArea } from '../../http/areas/operator/sender-rows.ts';
import { tenants } from '../../http/areas/operator/tenant-rows.ts';
import { operatorTwoFactor } from '../../http/areas/operator/two-factor-rows.ts';
import { privacyExports } from '../../http/areas/privacy/export-rows.ts';
import { privacyHolds } from '../../http/areas/privacy/hold-rows.ts';
import { privacyRetention } from '../../http/areas/privacy/retention-rows.ts';
import { privacy as privacyArea } from '../../http/areas/privacy/rows.ts';
import { push } from '../../http/areas/push/rows.ts';
import { sandbox as sandboxArea } from '../../http/areas/sandbox/rows.ts';
import { recurring } from '../../http/areas/scheduling/recurring-rows.ts';
import { rotators } from '../../http/areas/scheduling/rotator-rows.ts';
import { scheduled } from '../../http/areas/scheduling/scheduled-rows.ts';
import { sessions } from '../../http/areas/sessions/rows.ts';
import { sessionWork } from '../../http/areas/sessions/status-rows.ts';
import { storeHooks } from '../../http/areas/stores/hook-rows.ts';
import { stores } from '../../http/areas/stores/rows.ts';
import { templates } from '../../http/areas/templates/rows.ts';
import { webhooks } from '../../http/areas/webhooks/rows.ts';
import { createAuthenticator } from '../../http/auth/authenticator.ts';
import { createTokens } from '../../http/auth/tokens.ts';
import { rangesOf } from '../../http/core/address-ranges.ts';
import { type BoundArea, bind } from '../../http/core/bind.ts';
import type { Limits } from '../../http/limits/limits.ts';
import { TOOLS } from '../../http/mcp/tools/index.ts';
import { createServer, type HttpServer } from '../../http/server/server.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { FairSlots } from '../../runtime/fair-slots.ts';
import { apiKeysIn } from '../../store/accounts/api-keys.ts';
import { loginsIn } from '../../store/accounts/logins.ts';
import { oneTimeCodesIn } from '../../store/accounts/one-time-codes.ts';
import { operatorSessionsIn } from '../../store/accounts/operator-sessions.ts';
import { passkeysIn } from '../../store/accounts/passkeys.ts';
import { secondFactorsIn } from '../../store/accounts/second-factors.ts';
import { signUpsIn } from '../../store/accounts/sign-ups.ts';
import { consentConfigsIn } from '../../store/consent/consent-configs.ts';
import { isUnavailable } from '../../store/engines/unavailable.ts';
import type { MediaUsage } from '../../store/media/media-usage.ts';
import { openUploadLinksIn } from '../../store/media/upload-links.ts';
import { idempotencyIn } from '../../store/messaging/idempotency.ts';
import type { Store } from '../../store/port.ts';
import { deletionsIn } from '../../store/privacy/deletions.ts';
import type { ActorServices } from './actors.ts';
import type { AuditHeads } from './audit.ts';
import { type Config, isSandboxServed } from './config.ts';
import { metricsOf } from './metrics.ts';
import type { Privacy } from './privacy.ts';
import type { Secrets } from './secrets.ts';

export interface HttpParts {
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
  /** Its API is served here when it is in this process. */
  readonly sandbox: Sandbox | null;
  readonly checkAnswers: boolean;
  readonly limits: Limits;
  readonly auditHeads: AuditHeads;
  /** The node links the platform's sender by itself, so it is not ready before that sender can send. */
  readonly linksSender: boolean;
}

const MINUTE_MS = 60_000;

/** A tenant's plan, logins or keys changed: every node looks at them anew, at once where it hears of it. */
const TENANT_CHANGED = 'tenant.changed';

/** Beside live streams. */
const OTHER_CONNECTIONS = 5_000;

/** Wires every area to its services. The server is made, not started. */
export async function startHttp({
  config,
  clock,
  log,
  store,
  services,
  privacy,
  directFiles,
  mediaUsage,
  uploads,
  linksSender,
  secrets,
  sandbox,
  checkAnswers,
  limits,
  auditHeads,
}: HttpParts): Promise<HttpServer> {
  const keys = apiKeysIn(store);
  const logins = loginsIn(store);
  const secondFactors = secondFactorsIn(store);
  const operatorSessions = operatorSessionsIn(store);
  const oneTimeCodes = oneTimeCodesIn(store);
  const codes = createOneTimeCodeService(oneTimeCodes, secrets.jwt);
  const tokens = createTokens(secrets.jwt);
  const authenticator = createAuthenticator({
    tenants: services.tenants,
    logins,
    secondFactors,
    keys,
    agents: services.agents,
    deletions: deletionsIn(store),
    tokens,
    plans: config.plans,
    operatorSessions,
    adminSecret: secrets.admin,
    operators: config.operators.map(namedOperator),
    report: (cause) => log.warn({ event: 'auth.last_use_not_noted', err: cause }, 'the last use of a key or login was not noted'),
  });
  const fetcher = createFetcher({ egress: services.egress, clock });
  const shared = {
    ...services,
    files: createFileAccess(services),
    mediaUsage,
    fetcher,
    idempotency: idempotencyIn(store),
    keys,
    logins,
    codes,
    signUps: signUpsIn(store),
    secondFactors,
    passkeys: passkeysIn(store),
    operatorSessions,
    oneTimeCodes,
    tokens,
    limits,
    plans: config.plans,
    chatNames: createChatNames(services.contacts),

    fillTemplate: (tenantId: string, templateId: string, chat: string) => fillTemplate(services, tenantId, templateId, chat),
  };
  const consentConfigs = consentConfigsIn(store);
  const onSettingsChanged = services.settingsChanged;
  const invalidate = (tenantId: string): void => {
    authenticator.invalidate(tenantId);
    services.cluster.wire.broadcast(TENANT_CHANGED, tenantId);
    services.live.authorizationChanged(tenantId);
  };
  services.cluster.wire.onBroadcast(TENANT_CHANGED, (body) => authenticator.invalidate(String(body)));
  services.live.onAuthorizationChanged(authenticator.invalidate);

  services.billing.onPlanChanged(invalidate);
  services.billing.serveAt(() => server.url);
  const mayAsk = async (invoiceId: string, now: number): Promise<boolean> =>
    (await limits.take(`billing-asks:${invoiceId}`, ASKS_PER_MINUTE, MINUTE_MS, now)).ok;
  const countForgery = (address: string, now: number): Promise<void> =>
    expectBelow(limits, `payment-forgeries:${address}`, FORGERIES_PER_MINUTE, now);

  const address = (): string => config.base_url ?? server.url;

  const areas: BoundArea[] = [
    bind(auth, {
      ...shared,
      invalidate,
      via: config.network,
      sendCode: services.sender.send,
      codeNotSent: (cause) => log.warn({ event: 'auth.code_not_sent', err: cause }, 'a login code was not delivered'),
    }),
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
    bind(agents, { ...services.team, limits }),
    bind(assignment, shared),
    bind(apiKeys, { ...shared, invalidate }),
    bind(sessions, shared),
    bind(sessionWork, shared),
    bind(messages, shared),
    bind(media, { ...shared, uploads }),
    bind(mediaUploads, {
      ...shared,
      uploads,
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
      async templateText(tenantId, id) {
        const template = await services.labels.templates.find(tenantId, id);
        return template && textOf(template);
      },
      rotatorExists: async (tenantId, id) => (await services.rotators.find(tenantId, id)) !== null,
      requiresAttestation: async (tenantId) => (await consentConfigs.find(tenantId))?.config.require_attestation === true,
    }),
    bind(scheduled, shared),
    bind(recurring, shared),
    bind(rotators, shared),
    bind(messageActs, shared),
    bind(inbox, shared),
    bind(chats, shared),
    bind(contacts, shared),
    bind(contactWork, shared),
    bind(contactImports, shared),
    bind(labels, { ...shared, forget: services.jobHints.forget }),
    bind(segments, shared),
    bind(templates, shared),
    bind(onboarding, shared),
    bind(consent, shared),
    bind(autoReply, shared),
    bind(aiReply, shared),
    bind(aiDocuments, { ...shared, uploads }),
    bind(webhooks, shared),
    bind(events, shared),
    bind(stores, { ...shared, address }),
    bind(storeHooks, {
      receiving: {
        ...services.storeReceiving,
        countHook: (linkId, now) => expectBelow(limits, `store-hooks:${linkId}`, HOOKS_PER_MINUTE, now),
        countForgery: (address, now) => expectBelow(limits, `store-forgeries:${address}`, FORGERIES_PER_MINUTE, now),
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
    bind(push, shared),
    bind(profile, { ...shared, invalidate, onSettingsChanged }),
    bind(settings, { ...shared, onSettingsChanged }),
    bind(usage, shared),
    bind(tenants, { ...shared, onTenantChanged: invalidate, givePlan: (tenantId, plan) => givePlan(services.billing, tenantId, plan) }),
    bind(tenantHealth, shared),
    bind(senderArea, shared),
    bind(nodes, shared),
    bind(operatorTwoFactor, shared),
    ...(services.billing.providers.has('sandbox') ? [bind(sandboxPay, { ...shared, mayAsk })] : []),
    ...(sandbox && isSandboxServed(config) ? [bind(sandboxArea, sandboxVerbs(sandbox))] : []),
  ];
  if (checkAnswers) services.eventLog.onNew(expectDocumentedEvents);
  const server = await createServer({
    host: config.host,
    port: config.port,
    ...(config.base_url && { baseUrl: config.base_url }),
    authenticator,
    limits,
    log,
    clock,
    areas,
    devices: services.devices,
    visibility: services.visibility,
    isStoreDown: isUnavailable,
    audit: services.audit,
    ...(config.trusted_proxies.length > 0 && { trustedProxies: rangesOf(config.trusted_proxies) }),
    readiness: {
      store: () => store.ping(),
      cluster: () => services.cluster.ping(),
      ...(linksSender && { sender: onceConnected(services.sender) }),
    },
    metrics: metricsOf(services, auditHeads),
    corsOrigins: config.cors_origins,
    agents: { tools: TOOLS, secret: secrets.jwt },
    checkAnswers,
    // Tests that hold answers against their documentation start hundreds of servers.
    preparesDocuments: !checkAnswers,
    metricsPort: config.metrics_port,
    maxConnections: config.streams_per_node + OTHER_CONNECTIONS,
  });
  return server;
}

/** Passes once the sender was online: one that loses its line for a moment is no reason to take every node away. */
function onceConnected(sender: Sender): () => Promise<void> {
  let wasConnected = false;
  return async () => {
    wasConnected ||= (await sender.find()).status === 'connected';
    if (!wasConnected) throw new Error("the platform's sender is not connected yet");
  };
}

const namedOperator = (text: string) => ({ name: text.slice(0, text.indexOf(':')), secret: text.slice(text.indexOf(':') + 1) });

const HOOKS_PER_MINUTE = 300;
const FORGERIES_PER_MINUTE = 60;
const CHECKOUTS_PER_MINUTE = 10;
const ASKS_PER_MINUTE = 60;

/** Refuses RATE_LIMITED when there were as many in the last minute. */
async function expectBelow(limits: Limits, key: string, max: number, now: number): Promise<void> {
  const { ok, resetMs } = await limits.take(key, max, MINUTE_MS, now);
  if (!ok) throw refusal('RATE_LIMITED', { retryAfterMs: resetMs });
}
