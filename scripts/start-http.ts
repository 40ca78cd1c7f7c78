import type { Logger } from 'pino';
import { Gauge, Registry } from 'prom-client';
import { fillTemplate, textOf } from '../actors/crm/templates.ts';
import type { DirectFiles } from '../actors/media/direct.ts';
import { createFetcher } from '../actors/media/fetcher.ts';
import { createUploadLinks } from '../actors/media/upload-links.ts';
import { sandboxVerbs } from '../actors/network/sandbox/api.ts';
import type { Sandbox } from '../actors/network/sandbox/sandbox.ts';
import { createCodeBook } from '../actors/one-time-codes.ts';
import { rangesOf } from '../http/addresses.ts';
import { agents } from '../http/areas/agents.ts';
import { apiKeys } from '../http/areas/api-keys.ts';
import { assignment } from '../http/areas/assignment.ts';
import { auth } from '../http/areas/auth.ts';
import { autoReply } from '../http/areas/auto-reply.ts';
import { blasts } from '../http/areas/blasts.ts';
import { chats } from '../http/areas/chats.ts';
import { consent } from '../http/areas/consent.ts';
import { contactImports } from '../http/areas/contact-imports.ts';
import { contactWork } from '../http/areas/contact-work.ts';
import { contacts } from '../http/areas/contacts.ts';
import { events } from '../http/areas/events.ts';
import { inbox } from '../http/areas/inbox.ts';
import { me } from '../http/areas/me.ts';
import { media } from '../http/areas/media.ts';
import { mediaUploads } from '../http/areas/media-uploads.ts';
import { messageActs } from '../http/areas/message-acts.ts';
import { messageWork } from '../http/areas/message-work.ts';
import { messages } from '../http/areas/messages.ts';
import { nodes } from '../http/areas/nodes.ts';
import { onboarding } from '../http/areas/onboarding.ts';
import { profile } from '../http/areas/profile.ts';
import { push } from '../http/areas/push.ts';
import { recurring } from '../http/areas/recurring.ts';
import { rotators } from '../http/areas/rotators.ts';
import { sandbox as sandboxArea } from '../http/areas/sandbox.ts';
import { scheduled } from '../http/areas/scheduled.ts';
import { segments } from '../http/areas/segments.ts';
import { senderArea } from '../http/areas/sender.ts';
import { sessionWork } from '../http/areas/session-work.ts';
import { sessions } from '../http/areas/sessions.ts';
import { settings } from '../http/areas/settings.ts';
import { templates } from '../http/areas/templates.ts';
import { tenants } from '../http/areas/tenants.ts';
import { usage } from '../http/areas/usage.ts';
import { webhooks } from '../http/areas/webhooks.ts';
import { words } from '../http/areas/words.ts';
import { createGatekeeper } from '../http/gatekeeper.ts';
import type { Limits } from '../http/limits.ts';
import { type BoundArea, bind } from '../http/mount.ts';
import { createServer, type HttpServer } from '../http/server.ts';
import { createTokens } from '../http/tokens.ts';
import type { Clock } from '../runtime/clock.ts';
import { apiKeysIn } from '../store/api-keys.ts';
import type { Store } from '../store/collection.ts';
import { consentConfigsIn } from '../store/consent-configs.ts';
import { idempotencyIn } from '../store/idempotency.ts';
import { loginsIn } from '../store/logins.ts';
import { oneTimeCodesIn } from '../store/one-time-codes.ts';
import { isUnavailable } from '../store/unavailable.ts';
import type { Config } from './config.ts';
import type { Secrets } from './secrets.ts';
import type { ActorWorld } from './start-actors.ts';

export interface HttpParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly world: ActorWorld;
  readonly directFiles: DirectFiles | null;
  readonly secrets: Secrets;
  /** Its API is served here when it is in this process. */
  readonly sandbox: Sandbox | null;
  readonly checkAnswers: boolean;
  readonly limits: Limits;
}

/** A tenant's plan, logins or keys changed: every node looks at them anew, at once where it hears of it. */
const TENANT_CHANGED = 'tenant.changed';

/** Wires every area to its part of the world. The server is made, not started. */
export async function startHttp({
  config,
  clock,
  log,
  store,
  world,
  directFiles,
  secrets,
  sandbox,
  checkAnswers,
  limits,
}: HttpParts): Promise<HttpServer> {
  const keys = apiKeysIn(store);
  const logins = loginsIn(store);
  const codes = createCodeBook(oneTimeCodesIn(store), secrets.jwt);
  const tokens = createTokens(secrets.jwt);
  const gate = createGatekeeper({
    tenants: world.tenants,
    logins,
    keys,
    agents: world.agents,
    tokens,
    plans: config.plans,
    adminSecret: secrets.admin,
    report: (cause) => log.warn({ err: cause }, 'the last use of a key or login was not noted'),
  });
  const fetcher = createFetcher({ egress: world.egress, clock });
  const shared = {
    ...world,
    fetcher,
    idempotency: idempotencyIn(store),
    keys,
    logins,
    codes,
    tokens,
    limits,
    plans: config.plans,
    fillTemplate: (tenantId: string, templateId: string, chat: string) => fillTemplate(world, tenantId, templateId, chat),
  };
  const consentConfigs = consentConfigsIn(store);
  const onSettingsChanged = world.settingsChanged;
  const invalidate = (tenantId: string): void => {
    gate.invalidate(tenantId);
    world.cluster.wire.broadcast(TENANT_CHANGED, tenantId);
    world.live.standingChanged(tenantId);
  };
  world.cluster.wire.onBroadcast(TENANT_CHANGED, (body) => gate.invalidate(String(body)));
  world.live.onStandingChanged(gate.invalidate);

  const areas: BoundArea[] = [
    bind(auth, {
      ...shared,
      invalidate,
      via: config.network,
      sendCode: world.sender.send,
      codeNotSent: (cause) => log.warn({ err: cause }, 'a login code was not delivered'),
    }),
    bind(me, shared),
    bind(agents, world.team),
    bind(assignment, shared),
    bind(apiKeys, { ...shared, invalidate }),
    bind(sessions, { ...shared, giveBack: world.usage.giveBackMessages }),
    bind(sessionWork, { ...shared, giveBack: world.usage.giveBackMessages }),
    bind(messages, shared),
    bind(media, shared),
    bind(mediaUploads, {
      ...shared,
      directFiles,
      uploadLinks: createUploadLinks(secrets.jwt),
      address: () => config.base_url ?? server.url,
    }),
    bind(messageWork, { ...shared, giveBack: world.usage.giveBackMessages, isStoreDown: isUnavailable }),
    bind(blasts, {
      ...shared,
      async templateText(tenantId, id) {
        const template = await world.words.templates.find(tenantId, id);
        return template && textOf(template);
      },
      rotatorExists: async (tenantId, id) => (await world.rotators.find(tenantId, id)) !== null,
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
    bind(words, { ...shared, forget: world.clerical.forget }),
    bind(segments, shared),
    bind(templates, shared),
    bind(onboarding, shared),
    bind(consent, shared),
    bind(autoReply, shared),
    bind(webhooks, shared),
    bind(events, shared),
    bind(push, shared),
    bind(profile, { ...shared, invalidate, onSettingsChanged }),
    bind(settings, { ...shared, onSettingsChanged }),
    bind(usage, shared),
    bind(tenants, { ...shared, onTenantChanged: invalidate }),
    bind(senderArea, shared),
    bind(nodes, shared),
    ...(sandbox ? [bind(sandboxArea, sandboxVerbs(sandbox))] : []),
  ];
  const server = await createServer({
    host: config.host,
    port: config.port,
    ...(config.base_url && { baseUrl: config.base_url }),
    gate,
    limits,
    log,
    clock,
    areas,
    devices: world.devices,
    sight: world.sight,
    isStoreDown: isUnavailable,
    ...(config.trusted_proxies.length > 0 && { trustedProxies: rangesOf(config.trusted_proxies) }),
    readiness: { store: () => store.ping(), cluster: () => world.cluster.ping() },
    metrics: metricsOf(world),
    checkAnswers,
  });
  return server;
}

/** What the actors tell Prometheus, counted when asked. */
function metricsOf({ actors, loginGate }: ActorWorld): Registry {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'gateway_actors_awake',
    help: 'Actors awake, by kind',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const [kind, count] of actors.census().awake) this.set({ kind }, count);
    },
  });
  new Gauge({
    name: 'gateway_mailbox_messages',
    help: 'Messages waiting in all mailboxes',
    registers,
    collect() {
      this.set(actors.census().waiting);
    },
  });
  new Gauge({
    name: 'gateway_mailbox_deepest',
    help: 'Messages waiting in the fullest mailbox',
    registers,
    collect() {
      this.set(actors.census().deepest);
    },
  });
  new Gauge({
    name: 'gateway_logins_waiting',
    help: 'Devices waiting for their turn to log in',
    registers,
    collect() {
      this.set(loginGate.depth);
    },
  });
  return registry;
}
