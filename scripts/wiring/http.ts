import type { Sender } from '../../actors/services/accounts/platform-sender.ts';
import { expectDocumentedEvents } from '../../http/areas/events/catalogue.ts';
import { createAuthenticator } from '../../http/auth/authenticator.ts';
import { createTokens } from '../../http/auth/tokens.ts';
import { TOOLS } from '../../http/mcp/tools/index.ts';
import { createServer, type HttpServer } from '../../http/server/server.ts';
import { rangesOf } from '../../runtime/address-ranges.ts';
import { descriptorLimit } from '../../runtime/descriptor-limit.ts';
import { apiKeysIn } from '../../store/accounts/api-keys.ts';
import { loginsIn } from '../../store/accounts/logins.ts';
import { operatorSessionsIn } from '../../store/accounts/operator-sessions.ts';
import { secondFactorsIn } from '../../store/accounts/second-factors.ts';
import { isUnavailable } from '../../store/engines/unavailable.ts';
import { roomIn } from '../../store/media/room.ts';
import { deletionsIn } from '../../store/privacy/deletions.ts';
import { type AreaParts, bindAreas } from './areas.ts';
import type { AuditHeads } from './audit.ts';
import type { StoreTimes } from './metrics/measured-store.ts';
import type { Meters } from './metrics/meters.ts';
import { metricsOf } from './metrics/registry.ts';

export interface HttpParts extends AreaParts {
  readonly checkAnswers: boolean;
  readonly auditHeads: AuditHeads;
  readonly meters: Meters;
  readonly storeTimes: StoreTimes;
  /** If this node links the platform's sender itself, it is not ready until that sender can send. */
  readonly linksSender: boolean;
}

/** Broadcast after a tenant's plan, logins or keys have changed, so that every node rereads them. */
const TENANT_CHANGED = 'tenant.changed';

const OTHER_CONNECTIONS = 5_000;
/** Fraction of descriptors for HTTP; the rest is for the store, devices, files and processes. */
const SHARE_OF_DESCRIPTORS = 0.5;

const openAtMost = (): number => Math.floor((descriptorLimit() ?? Number.POSITIVE_INFINITY) * SHARE_OF_DESCRIPTORS);

export async function startHttp(parts: HttpParts): Promise<HttpServer> {
  const { config, clock, log, store, services, linksSender, secrets, checkAnswers, limits, auditHeads } = parts;
  const keys = apiKeysIn(store);
  const logins = loginsIn(store);
  const secondFactors = secondFactorsIn(store);
  const operatorSessions = operatorSessionsIn(store);
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
    report: (cause) => log.warn({ event: 'auth.last_use_not_noted', err: cause }, 'the last use of a key or login was not recorded'),
  });
  const invalidate = (tenantId: string): void => {
    authenticator.invalidate(tenantId);
    services.cluster.wire.broadcast(TENANT_CHANGED, tenantId);
    services.live.authorizationChanged(tenantId);
  };
  services.cluster.wire.onBroadcast(TENANT_CHANGED, (body) => authenticator.invalidate(String(body)));
  services.live.onAuthorizationChanged(authenticator.invalidate);

  services.billing.onPlanChanged(invalidate);
  services.billing.serveAt(() => server.url);
  services.serveOfficialAt(() => config.base_url ?? server.url);
  const areas = bindAreas(
    parts,
    { keys, logins, secondFactors, operatorSessions, tokens },
    { invalidate, address: () => config.base_url ?? server.url },
  );

  if (checkAnswers) services.eventLog.onNew(expectDocumentedEvents);
  const storeRoom = roomIn(config.data_dir, config.node_id, clock);
  const readiness = {
    store: () => Promise.all([store.ping(), config.mongodb_url === null ? storeRoom() : null]),
    cluster: () => services.cluster.ping(),
    files: roomIn(`${config.data_dir}/media`, config.node_id, clock),
    ...(linksSender && { sender: onceConnected(services.sender) }),
  };
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
    numbers: services.numbers,
    isStoreDown: isUnavailable,
    isStoreAway: () => store.isAway?.() ?? false,
    audit: services.audit,
    ...(config.trusted_proxies.length > 0 && { trustedProxies: rangesOf(config.trusted_proxies) }),
    readiness,
    metrics: metricsOf({ ...parts, auditHeads, readiness }),
    corsOrigins: config.cors_origins,
    compat: config.compat,
    agents: { tools: TOOLS, secret: secrets.jwt },
    checkAnswers,
    metricsPort: config.metrics_port,
    maxConnections: Math.min(config.streams_per_node + OTHER_CONNECTIONS, openAtMost()),
  });
  return server;
}

/** Passes permanently once the sender has connected. Losing it later must not make all nodes unready. */
function onceConnected(sender: Sender): () => Promise<void> {
  let wasConnected = false;
  return async () => {
    wasConnected ||= (await sender.find()).status === 'connected';
    if (!wasConnected) throw new Error("the platform's sender is not connected yet");
  };
}

const namedOperator = (text: string) => ({ name: text.slice(0, text.indexOf(':')), secret: text.slice(text.indexOf(':') + 1) });
