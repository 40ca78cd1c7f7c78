import { deviceOfActor } from '../../../actors/device/actor-id.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { LaneBacklog, LaneBacklogs } from '../../../store/messaging/lane-backlog.ts';
import { LANE_NAMES, type LaneName, laneName } from './meters.ts';

export interface QueueSamplerDeps {
  readonly laneBacklogs: LaneBacklogs;
  readonly clock: Clock;
  running(): readonly string[];
}

export interface LaneDepth {
  readonly lane: LaneName;
  readonly depth: number;
  readonly oldest: number;
}

export interface QueueSample {
  readonly lanes: readonly LaneDepth[];
  readonly unseen: number;
}

/** These bounds apply no matter how often /metrics is requested. */
const MAX_ASKED = 100;
const LOOK_MS = 5_000;
const WAITED_MS = 2_000;
const AT_ONCE = 4;

/** Each poll queries only some of the devices, because exact counts would need another index. */
export class QueueSampler {
  readonly #deps: QueueSamplerDeps;
  readonly #known = new Map<string, readonly LaneBacklog[]>();
  #turn = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | null = null;

  constructor(deps: QueueSamplerDeps) {
    this.#deps = deps;
  }

  async sample(): Promise<QueueSample> {
    const { clock } = this.#deps;
    if (clock.monotonic() - this.#lookedAt >= LOOK_MS)
      this.#looking ??= this.#look().finally(() => {
        this.#looking = null;
      });
    await this.#lookedSoon();
    const running = this.#deps.running();
    const all = running.flatMap((id) => this.#known.get(id) ?? []);
    const lanes = LANE_NAMES.map((lane) => depthOf(lane, all, clock.now()));
    return { lanes, unseen: running.filter((id) => !this.#known.has(id)).length };
  }

  /** A store that hangs must not block the other metrics. */
  async #lookedSoon(): Promise<void> {
    if (this.#looking === null) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#deps.clock.after(WAITED_MS, resolve);
    await Promise.race([this.#looking, late]).finally(cancel);
  }

  async #look(): Promise<void> {
    this.#lookedAt = this.#deps.clock.monotonic();
    const running = this.#deps.running();
    const here = new Set(running);
    for (const id of this.#known.keys()) if (!here.has(id)) this.#known.delete(id);
    const asked = [...this.#chosen(running)];
    const asker = async (): Promise<void> => {
      for (let id = asked.pop(); id !== undefined; id = asked.pop()) await this.#ask(id);
    };
    // Failures are ignored here, because another metric reports an unreachable store.
    await Promise.all(Array.from({ length: AT_ONCE }, asker)).catch(() => undefined);
  }

  #chosen(running: readonly string[]): ReadonlySet<string> {
    const busy = running.filter((id) => (this.#known.get(id)?.length ?? 0) > 0).slice(0, MAX_ASKED / 2);
    const chosen = new Set(busy);
    for (let looked = 0; looked < running.length && chosen.size < MAX_ASKED; looked += 1) {
      const id = running[this.#turn++ % running.length];
      if (id !== undefined) chosen.add(id);
    }
    return chosen;
  }

  async #ask(id: string): Promise<void> {
    const { tenantId, sessionId } = deviceOfActor(id);
    this.#known.set(id, await this.#deps.laneBacklogs.of(tenantId, sessionId));
  }
}

function depthOf(lane: LaneName, all: readonly LaneBacklog[], now: number): LaneDepth {
  const own = all.filter((one) => laneName(one.lane) === lane);
  const depth = own.reduce((sum, one) => sum + one.depth, 0);
  const oldestAt = Math.min(now, ...own.map((one) => one.oldestAt));
  return { lane, depth, oldest: (now - oldestAt) / 1_000 };
}
