import type { Cancel, Clock } from '../../../runtime/clock.ts';
import type { NodeName, Wire } from '../../../runtime/cluster/port.ts';

/** Answers whether any stream of a tenant, on any node, wants `chat.presence` events. */
export interface PresenceWatch {
  isWatched(tenantId: string): boolean;
  onChange(tenantId: string, listener: () => void): Cancel;
}

export interface PresenceWatchDeps {
  readonly self: NodeName;
  readonly wire: Pick<Wire, 'broadcast' | 'onBroadcast'>;
  readonly clock: Clock;
}

interface Watching {
  readonly tenant: string;
  readonly isOn: boolean;
}

const WATCHING = 'stream.watching_presence';
const TOLD_EVERY_MS = 60_000;
const BELIEVED_MS = 2.5 * TOLD_EVERY_MS;
const GRACE_MS = 3_000;

/** Keeps all nodes' reports in memory. Repeats this node's report every minute, because reports expire. */
export class PresenceWatcher implements PresenceWatch {
  readonly #deps: PresenceWatchDeps;
  readonly #open = new Map<string, number>();
  readonly #nodes = new Map<string, Map<string, number>>();
  readonly #listeners = new Map<string, Set<() => void>>();
  #cancel: Cancel = () => {};

  constructor(deps: PresenceWatchDeps) {
    this.#deps = deps;
    deps.wire.onBroadcast(WATCHING, (body, from) => {
      if (isWatching(body)) this.#heard(from, body);
    });
    this.#repeatLater();
  }

  isWatched(tenantId: string): boolean {
    const now = this.#deps.clock.monotonic();
    return [...(this.#nodes.get(tenantId)?.values() ?? [])].some((until) => until > now);
  }

  onChange(tenantId: string, listener: () => void): Cancel {
    const listeners = this.#listeners.get(tenantId) ?? new Set();
    this.#listeners.set(tenantId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(tenantId);
    };
  }

  opened(tenantId: string): () => void {
    this.#count(tenantId, 1);
    return () => void this.#deps.clock.after(GRACE_MS, () => this.#count(tenantId, -1));
  }

  close(): void {
    this.#cancel();
  }

  #count(tenantId: string, by: 1 | -1): void {
    const count = (this.#open.get(tenantId) ?? 0) + by;
    if (count === 0) this.#open.delete(tenantId);
    else this.#open.set(tenantId, count);
    if (count === 0 || (count === 1 && by === 1)) this.#tell(tenantId, count > 0);
  }

  #tell(tenant: string, isOn: boolean): void {
    this.#heard(this.#deps.self.id, { tenant, isOn });
    this.#deps.wire.broadcast(WATCHING, { tenant, isOn } satisfies Watching);
  }

  #heard(node: string, { tenant, isOn }: Watching): void {
    const before = this.isWatched(tenant);
    const nodes = this.#nodes.get(tenant) ?? new Map<string, number>();
    if (isOn) nodes.set(node, this.#deps.clock.monotonic() + BELIEVED_MS);
    else nodes.delete(node);
    if (nodes.size > 0) this.#nodes.set(tenant, nodes);
    else this.#nodes.delete(tenant);
    if (this.isWatched(tenant) !== before) this.#changed(tenant);
  }

  #changed(tenant: string): void {
    for (const listener of this.#listeners.get(tenant) ?? []) listener();
  }

  #repeatLater(): void {
    this.#cancel = this.#deps.clock.after(TOLD_EVERY_MS, () => {
      for (const tenant of this.#open.keys()) this.#tell(tenant, true);
      this.#forgetSilent();
      this.#repeatLater();
    });
  }

  #forgetSilent(): void {
    const now = this.#deps.clock.monotonic();
    for (const [tenant, nodes] of this.#nodes) {
      for (const [node, until] of nodes) if (until <= now) nodes.delete(node);
      if (nodes.size > 0) continue;
      this.#nodes.delete(tenant);
      this.#changed(tenant);
    }
  }
}

const isWatching = (body: unknown): body is Watching =>
  typeof body === 'object' &&
  body !== null &&
  'tenant' in body &&
  typeof body.tenant === 'string' &&
  'isOn' in body &&
  typeof body.isOn === 'boolean';
