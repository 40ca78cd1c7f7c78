import type { Cancel, Clock } from '../../../runtime/clock.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import type { ApiKeys, KeyRow } from '../../../store/accounts/api-keys.ts';
import type { Logins } from '../../../store/accounts/logins.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Agents } from '../../../store/agents/agents.ts';
import type { Hub } from './hub.ts';
import type { Viewer } from './visibility.ts';

export interface SessionRevocationDeps {
  readonly logins: Pick<Logins, 'liveOf'>;
  readonly keys: Pick<ApiKeys, 'liveOf'>;
  readonly agents: Pick<Agents, 'activeOf'>;
  readonly tenants: Pick<Tenants, 'activeOf'>;
  readonly clock: Clock;
  allows(ranges: readonly string[], address: string): boolean;
}

/** A revocation must take effect within 5 seconds. With this interval, one poll may fail. */
const POLL_INTERVAL_MS = 2_000;
const MAX_FAILURES = 2;
const IDS_PER_QUESTION = 500;

export async function stillAuthorized(
  { logins, keys, agents, tenants, clock, allows }: SessionRevocationDeps,
  viewers: readonly Viewer[],
): Promise<ReadonlySet<Viewer>> {
  const now = clock.now();
  const some = <T>(ask: (ids: readonly string[]) => Promise<readonly T[]>, of: (viewer: Viewer) => string | null): Promise<readonly T[]> =>
    inParts([...new Set(viewers.map(of).filter((id) => id !== null))], ask);
  const [active, families, live, atWork] = await Promise.all([
    some(tenants.activeOf, ({ tenantId }) => tenantId),
    some(
      (ids) => logins.liveOf(ids, now),
      ({ family }) => family,
    ),
    some(
      (ids) => keys.liveOf(ids, now),
      ({ keyId }) => keyId,
    ),
    some(agents.activeOf, ({ role, agentId }) => (role === 'agent' ? agentId : null)),
  ]);
  const [activeTenants, liveFamilies, activeAgents] = [new Set(active), new Set(families), new Set(atWork)];
  const liveKeys = new Map(live.map((key) => [key._id, key]));
  const isGood = (viewer: Viewer): boolean => {
    const { tenantId, role, agentId, family, keyId, tokenExpiresAt } = viewer;
    if (!activeTenants.has(tenantId) || (role === 'agent' && !activeAgents.has(agentId))) return false;
    if (keyId !== null) return isSameKey(viewer, liveKeys.get(keyId), allows);
    return family !== null && liveFamilies.has(family) && tokenExpiresAt !== null && now < tokenExpiresAt;
  };
  return new Set(viewers.filter(isGood));
}

function isSameKey(
  { keyHash, manages, sessionIds, address }: Viewer,
  key: KeyRow | undefined,
  allows: SessionRevocationDeps['allows'],
): boolean {
  if (key === undefined || key.hash !== keyHash || !key.scopes.includes('read')) return false;
  if (key.scopes.includes('manage') !== manages || String(key.session_ids) !== String(sessionIds)) return false;
  return key.allowed_ips === null || allows(key.allowed_ips, address);
}

async function inParts<T>(ids: readonly string[], ask: (ids: readonly string[]) => Promise<readonly T[]>): Promise<readonly T[]> {
  const parts: T[] = [];
  for (const some of inChunks(ids, IDS_PER_QUESTION)) parts.push(...(await ask(some)));
  return parts;
}

export class SessionRevocation {
  readonly #hub: Hub;
  readonly #deps: SessionRevocationDeps;
  readonly #failed: (cause: unknown) => void;
  #failures = 0;
  #cancel: Cancel = () => {};
  #isOver = false;

  constructor(hub: Hub, deps: SessionRevocationDeps, failed: (cause: unknown) => void) {
    this.#hub = hub;
    this.#deps = deps;
    this.#failed = failed;
    this.#pollLater();
  }

  async poll(tenantId?: string): Promise<void> {
    const viewers = [...this.#hub.viewers(tenantId)];
    if (viewers.length === 0) return;
    try {
      const good = await stillAuthorized(this.#deps, viewers);
      this.#dropAll(viewers.filter((viewer) => !good.has(viewer)));
      this.#failures = 0;
    } catch (cause) {
      this.#failures += 1;
      this.#failed(cause);
      // Authorization can no longer be checked, so close the streams.
      if (this.#failures >= MAX_FAILURES) this.#dropAll(viewers);
    }
  }

  end(): void {
    this.#isOver = true;
    this.#cancel();
  }

  #dropAll(viewers: readonly Viewer[]): void {
    const bad = new Set(viewers);
    if (bad.size > 0) this.#hub.drop((viewer) => bad.has(viewer));
  }

  #pollLater(): void {
    if (this.#isOver) return;
    this.#cancel = this.#deps.clock.after(POLL_INTERVAL_MS, () => void this.poll().then(() => this.#pollLater()));
  }
}
