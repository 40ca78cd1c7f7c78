/**
 * Scenarios that the simulated cluster goes through one after another. Each reports the time until the
 * devices are online again, and the load on Redis and the store until then.
 */
import { deviceActorId } from '../../../actors/device/actor-id.ts';
import { at } from '../../../runtime/invariant.ts';
import { seededRandom } from '../../../runtime/random.ts';
import type { Figures, Kept } from './counted.ts';
import { type Command, KIND } from './device.ts';
import { DEVICES_OF_A_TENANT, type ScaleWorld, SLOW_LOGINS, TTL_MS, USUAL_LOGINS } from './world.ts';

export interface Outcome {
  readonly scenario: string;
  /** Number of devices that lost their connection. */
  readonly offline: number;
  /** Virtual seconds until half and 99 % of them were online again; null if no device was lost. */
  readonly half: number | null;
  readonly nearlyAll: number | null;
  readonly logins: number;
  readonly figures: Figures;
  readonly notes: readonly string[];
}

const STEP_MS = 250;
const LONGEST_MS = 1_800_000;
const STEADY_MS = 30_000;
/** Fraction of the calls that the hot tenants make, and their number. */
const HOT = { share: 0.5, tenants: 10 };
/** The same tolerance as the rebalancer's, as a fraction of the average load. */
const TOLERANCE = 0.1;
const MINUTE_MS = 60_000;
const SEND_PER_MINUTE = 60;
const KEY_PER_MINUTE = 300;

export class Scenarios {
  readonly #world: ScaleWorld;
  readonly #names: readonly string[];
  #victims = 0;
  readonly outcomes: Outcome[] = [];

  constructor(world: ScaleWorld, nodes: number) {
    this.#world = world;
    this.#names = Array.from({ length: nodes }, (_, nth) => `n${nth}`);
  }

  /** All nodes start at the same time with nothing online, as after a power failure. */
  herd(): Promise<Outcome> {
    return this.#during('all nodes start at once', async () => {
      const all = this.#all();
      const began = this.#now();
      await this.#world.boot(...this.#names);
      return this.#back(all, began);
    });
  }

  /** Runs the cluster without failures, and records the calls to Redis for a replay. */
  async steady(): Promise<{ readonly outcome: Outcome; readonly kept: readonly Kept[] }> {
    let kept: readonly Kept[] = [];
    const outcome = await this.#during('a quiet half minute', async () => {
      this.#world.ledger.keep();
      await this.#world.clock.advance(STEADY_MS);
      kept = this.#world.ledger.kept();
      return NOTHING;
    });
    return { outcome, kept };
  }

  /** All tenants call every node. Ten of the tenants make half of the calls. */
  hot(callsPerSecond: number): Promise<Outcome> {
    return this.#during(`${callsPerSecond} calls a second, half of them of ten tenants`, async () => {
      const { clock } = this.#world;
      const random = seededRandom(7);
      const admitted = new Map<string, number>();
      const [all, nodes] = [this.#world.devices / DEVICES_OF_A_TENANT, this.#world.running()];
      const tenantOf = (): number => (random() < HOT.share ? Math.floor(random() * HOT.tenants) : Math.floor(random() * all));
      const call = async (): Promise<void> => {
        const nth = tenantOf();
        const [tenant, node] = [`t${nth}`, at(nodes, Math.floor(random() * nodes.length))];
        const windows = [
          { key: `key:${tenant}`, max: KEY_PER_MINUTE, windowMs: MINUTE_MS },
          { key: `send:${tenant}`, max: SEND_PER_MINUTE, windowMs: MINUTE_MS },
        ];
        const verdicts = await node.limits.takeAll(windows, clock.now());
        if (!verdicts.every(({ ok }) => ok)) return;
        admitted.set(tenant, (admitted.get(tenant) ?? 0) + 1);
        const device = deviceActorId(tenant, `d${nth * DEVICES_OF_A_TENANT + Math.floor(random() * DEVICES_OF_A_TENANT)}`);
        node.everywhere.ref<Command>(KIND, device).tell({ type: 'work' });
      };
      const every = 1_000 / callsPerSecond;
      for (let nth = 0; nth * every < STEADY_MS; nth += 1) clock.after(nth * every, () => void call().catch(() => {}));
      await clock.advance(STEADY_MS);
      const most = Math.max(...admitted.values());
      if (most > SEND_PER_MINUTE) throw new Error(`a tenant got ${most} calls in a window of ${SEND_PER_MINUTE}`);
      return { ...NOTHING, notes: [`a hot tenant was admitted ${most} times; its limit is ${SEND_PER_MINUTE}`] };
    });
  }

  /** The last `count` nodes die at the same moment, and start again afterwards. */
  async lost(count: number, loginsPerSecond = USUAL_LOGINS): Promise<Outcome> {
    const world = this.#world;
    world.loginsPerSecond = loginsPerSecond;
    const names = this.#next(count);
    const rate = loginsPerSecond === SLOW_LOGINS ? `, ${SLOW_LOGINS} logins a second` : '';
    const outcome = await this.#during(`${count === 1 ? 'a node is' : `${count} nodes are`} lost${rate}`, async () => {
      const began = this.#now();
      return this.#back(world.kill(...names), began);
    });
    world.loginsPerSecond = USUAL_LOGINS;
    await world.boot(...names);
    return outcome;
  }

  /** Returns the next nodes in turn, because those that failed last do not have all their devices back yet. */
  #next(count: number): readonly string[] {
    const names = this.#names.slice(this.#victims, this.#victims + count);
    this.#victims += count;
    return names;
  }

  /** Balances the nodes after some of them have restarted. */
  balanced(): Promise<Outcome> {
    return this.#during('empty nodes fill up again', async () => {
      const began = this.#now();
      const isEven = (): boolean => {
        const loads = this.#world.loads();
        const average = loads.reduce((sum, load) => sum + load, 0) / loads.length;
        return Math.max(...loads) - Math.min(...loads) <= TOLERANCE * average + 1;
      };
      await this.#until(isEven);
      const loads = this.#world.loads();
      const took = ((this.#now() - began) / 1_000).toFixed(0);
      return { ...NOTHING, notes: [`after ${took} s, nodes weigh ${Math.min(...loads)} to ${Math.max(...loads)}`] };
    });
  }

  /** Each node in turn shuts down cleanly and starts again. */
  rolling(): Promise<Outcome> {
    return this.#during('a rolling upgrade', async () => {
      const world = this.#world;
      const began = this.#now();
      let longest = 0;
      for (const name of this.#names) {
        const since = this.#now();
        void world.nodes.get(name)?.leave();
        await this.#until(() => !world.nodes.has(name));
        longest = Math.max(longest, this.#now() - since);
        await world.boot(name);
      }
      const took = (this.#now() - began) / 1_000;
      const back = await this.#back(this.#all(), this.#now());
      const stops = `the slowest stop took ${(longest / 1_000).toFixed(1)} s, all of them ${took.toFixed(0)} s`;
      return { ...back, offline: 0, half: null, nearlyAll: null, notes: [stops] };
    });
  }

  /** Redis is unreachable, then a replica with all data takes over in another process. */
  failover(awayMs: number): Promise<Outcome> {
    return this.#during(`Redis fails over after ${awayMs / 1_000} s, nothing lost`, async () => {
      const before = new Set(this.#world.phones.all());
      this.#world.redis.down();
      await this.#world.clock.advance(awayMs);
      this.#world.redis.failOver();
      this.#world.redis.up();
      const began = this.#now();
      await this.#world.clock.advance(2 * TTL_MS);
      return this.#back([...before], began);
    });
  }

  /** Redis comes back without its data: no lease can be proven, and all devices log in again. */
  emptied(): Promise<Outcome> {
    return this.#during('Redis is emptied', async () => {
      const began = this.#now();
      this.#world.redis.flush();
      await this.#world.clock.advance(TTL_MS / 2);
      return this.#back(this.#all(), began);
    });
  }

  /** These nodes cannot reach Redis for a time, though their devices still reach the phone network. */
  cutOff(count: number, ms: number): Promise<Outcome> {
    return this.#during(`${count} nodes are cut off from Redis for ${ms / 1_000} s`, async () => {
      const names = this.#next(count);
      const began = this.#now();
      const theirs = names.flatMap((name) => this.#world.nodes.get(name)?.actors.present(KIND) ?? []);
      for (const name of names) this.#world.redis.partition(name);
      this.#world.clock.after(ms, () => names.forEach((name) => void this.#world.redis.heal(name)));
      await this.#world.clock.advance(1.5 * TTL_MS);
      return this.#back(
        theirs.map((id) => id.split('.')[1] ?? ''),
        began,
      );
    });
  }

  #all(): readonly string[] {
    return Array.from({ length: this.#world.devices }, (_, nth) => `d${nth}`);
  }

  #now(): number {
    return this.#world.clock.monotonic();
  }

  async #until(holds: () => boolean): Promise<void> {
    const giveUpAt = this.#now() + LONGEST_MS;
    while (!holds()) {
      if (this.#now() > giveUpAt) throw new Error('that never came to be');
      await this.#world.clock.advance(STEP_MS);
    }
  }

  /** Advances the clock until all devices are online, and returns when `devices` came back. */
  async #back(devices: readonly string[], began: number): Promise<Back> {
    const { phones } = this.#world;
    await this.#until(() => phones.online() === this.#world.devices);
    const times = phones.times(devices).filter((time) => time > began);
    const after = (share: number): number | null =>
      times.length === 0 ? null : (at(times, Math.ceil(times.length * share) - 1) - began) / 1_000;
    return { offline: times.length, half: after(0.5), nearlyAll: after(0.99), notes: [] };
  }

  async #during(scenario: string, happens: () => Promise<Back>): Promise<Outcome> {
    const { ledger, phones } = this.#world;
    ledger.take();
    const logins = phones.logins;
    const back = await happens();
    const outcome = { scenario, ...back, logins: phones.logins - logins, figures: ledger.take() };
    if (phones.onTwoNodes.length > 0) throw new Error(`${scenario}: devices on two nodes: ${phones.onTwoNodes.slice(0, 5)}`);
    this.outcomes.push(outcome);
    return outcome;
  }
}

type Back = Pick<Outcome, 'offline' | 'half' | 'nearlyAll' | 'notes'>;
const NOTHING: Back = { offline: 0, half: null, nearlyAll: null, notes: [] };
