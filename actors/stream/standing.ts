import type { Cancel, Clock } from '../../runtime/clock.ts';
import type { Agents } from '../../store/agents.ts';
import type { ApiKeys } from '../../store/api-keys.ts';
import type { Logins } from '../../store/logins.ts';
import type { Tenants } from '../../store/tenants.ts';
import type { Hub } from './hub.ts';
import type { Viewer } from './sight.ts';

export interface StandingPorts {
  readonly logins: Pick<Logins, 'liveOf'>;
  readonly keys: Pick<ApiKeys, 'liveOf'>;
  readonly agents: Pick<Agents, 'activeOf'>;
  readonly tenants: Pick<Tenants, 'activeOf'>;
  readonly clock: Clock;
}

/** Twice within the 5 seconds that a revocation may take, so that one look may fail. */
const LOOK_EVERY_MS = 2_000;
const MOST_FAILURES = 2;
const IDS_A_QUESTION = 500;

/** Which of these viewers may still read: login not ended, agent still active, key not revoked and for the same devices, tenant not suspended. */
export async function inGoodStanding(
  { logins, keys, agents, tenants, clock }: StandingPorts,
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
  const isGood = ({ tenantId, role, agentId, family, keyId, sessionIds }: Viewer): boolean => {
    if (!activeTenants.has(tenantId) || (role === 'agent' && !activeAgents.has(agentId))) return false;
    if (keyId === null) return family !== null && liveFamilies.has(family);
    const key = liveKeys.get(keyId);
    return key?.scopes.includes('read') === true && String(key.session_ids) === String(sessionIds);
  };
  return new Set(viewers.filter(isGood));
}

async function inParts<T>(ids: readonly string[], ask: (ids: readonly string[]) => Promise<readonly T[]>): Promise<readonly T[]> {
  const parts: T[] = [];
  for (let from = 0; from < ids.length; from += IDS_A_QUESTION) parts.push(...(await ask(ids.slice(from, from + IDS_A_QUESTION))));
  return parts;
}

/** Looks after the standing of all who read on this node. */
export class Watch {
  readonly #hub: Hub;
  readonly #ports: StandingPorts;
  readonly #failed: (cause: unknown) => void;
  #failures = 0;
  #cancel: Cancel = () => {};
  #isOver = false;

  constructor(hub: Hub, ports: StandingPorts, failed: (cause: unknown) => void) {
    this.#hub = hub;
    this.#ports = ports;
    this.#failed = failed;
    this.#lookLater();
  }

  /** Something about the tenant's credentials changed. */
  async look(tenantId?: string): Promise<void> {
    const viewers = [...this.#hub.viewers(tenantId)];
    if (viewers.length === 0) return;
    try {
      const good = await inGoodStanding(this.#ports, viewers);
      this.#dropAll(viewers.filter((viewer) => !good.has(viewer)));
      this.#failures = 0;
    } catch (cause) {
      this.#failures += 1;
      this.#failed(cause);
      // A standing that cannot be proven is lost.
      if (this.#failures >= MOST_FAILURES) this.#dropAll(viewers);
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

  #lookLater(): void {
    if (this.#isOver) return;
    this.#cancel = this.#ports.clock.after(LOOK_EVERY_MS, () => void this.look().then(() => this.#lookLater()));
  }
}
