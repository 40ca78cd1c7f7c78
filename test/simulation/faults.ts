import type { HookHabits } from '../../actors/network/sandbox/official/graph-hooks.ts';
import type { FaultOrder } from '../../actors/network/sandbox/protocol.ts';
import type { Random } from '../../runtime/random.ts';
import { pickBy } from './callers.ts';
import type { Countdown } from './process.ts';
import type { SimTenant } from './tenants.ts';
import { ADMIN, FAIR, type HookAnswer, type RunningNode, type Weather, type World } from './world.ts';

const MINUTE = 60_000;
const DRAIN_MS = 20_000;

/** Starts a fault for about `ms`. Returns a function that ends it. */
type Fault = (ms: number, random: Random) => () => void;

const nothing = (): void => {};
const rough = (random: Random): Weather => ({
  ...{ minMs: 1, maxMs: 5 + random() * 60, slow: random() * 0.4, slowMs: random() * 4_000 },
  ...{ lostRequest: random() * 0.05, lostReply: random() * 0.08 },
});

/** All faults of a world, by name. */
export class Faults {
  kills = 0;
  readonly #world: World;
  readonly #tenants: readonly SimTenant[];
  readonly #kinds: Readonly<Record<string, Fault>>;
  readonly #ids: readonly string[];

  constructor(world: World, tenants: readonly SimTenant[], ids: readonly string[]) {
    this.#world = world;
    this.#tenants = tenants;
    this.#ids = ids;
    this.#kinds = { ...this.#ofNodes(), ...this.#ofLines(), ...this.#ofPhones(), ...this.#ofPlatform() };
  }

  get names(): readonly string[] {
    return Object.keys(this.#kinds);
  }

  begin(name: string, ms: number, random: Random): void {
    const { history, time } = this.#world;
    history.note(`fault: ${name} for ${ms} ms`);
    const end = this.#kinds[name]?.(ms, random) ?? nothing;
    time.after(ms, () => {
      history.note(`fault: ${name} is over`);
      end();
    });
  }

  /** Ends all current faults. */
  endAll(): void {
    const world = this.#world;
    world.stumbles.clear();
    world.cut.clear();
    world.isStoreDown = false;
    world.redis.up();
    world.weather = { store: FAIR, redis: FAIR, http: FAIR };
    world.receives = () => 'ok';
    world.brokenHook = null;
    world.sandbox.official.hooks.habits = {};
    world.peaceAt = world.time.now();
    for (const { process } of world.nodes.values()) {
      process.countdown = null;
      process.resume();
    }
    for (const phone of this.#tenants.flatMap(({ people }) => people)) world.sandbox.phone(phone).set({ online: true });
    for (const id of this.#ids) if (world.nodes.get(id)?.process.isKilled) this.#restart(id, 100);
  }

  #ofNodes(): Readonly<Record<string, Fault>> {
    const world = this.#world;
    const killAt = (kind: Countdown['kind'], most: number): Fault =>
      this.#atNode((at, ms, random) => {
        const { process } = at;
        process.countdown = { kind, left: 1 + Math.floor(random() * most), when: random() < 0.5 ? 'before' : 'after' };
        const restartMs = ms * random();
        process.onDeath(() => this.#died(process.node, restartMs));
        // The kill may come after the fault has ended, because its trigger may be rare.
        return nothing;
      });
    return {
      kill: this.#atNode((at, ms, random) => {
        at.process.kill();
        this.#died(at.process.node, ms * random());
        return nothing;
      }),
      killAtRead: killAt('read', 60),
      killAtWrite: killAt('write', 12),
      killAtEffect: killAt('effect', 6),
      stumble: this.#atNode((at, _ms, random) => {
        const table = pickBy(random, ['devices', 'messages', 'messages', 'message_actions', 'campaigns', 'scheduled', 'usage']);
        world.stumbles.set(at.process.name, { table, ms: 10_000 + Math.floor(random() * 20_000) });
        return nothing;
      }),
      pause: this.#atNode(({ process }) => {
        process.pause();
        return () => process.resume();
      }),
      jump: this.#atNode(({ process }, _ms, random) => {
        const by = Math.floor((random() - 0.5) * 6 * MINUTE);
        process.jump(by);
        return () => process.jump(-by);
      }),
      drain: this.#atNode((at, ms, random) => {
        const { process, node } = at;
        if (!node || world.running().length < 2) return nothing;
        const end = (): void => process.kill();
        void node.stop().then(end, end);
        world.time.after(DRAIN_MS, end);
        this.#restart(process.node, DRAIN_MS + 1_000 + ms * random());
        return nothing;
      }),
      move: this.#atNode((at, _ms, random) => {
        const { _id: id } = pickBy(random, world.mongo.rows('devices'));
        const body = { to: pickBy(random, this.#ids) };
        const path = `/v1/admin/devices/${id}/move`;
        const asked = world.call(at, { method: 'POST', path, body, headers: { 'x-admin-secret': ADMIN }, random });
        asked.catch(nothing);
        return nothing;
      }),
    };
  }

  #ofLines(): Readonly<Record<string, Fault>> {
    const world = this.#world;
    const roughLine =
      (line: keyof World['weather']): Fault =>
      (_ms, random) => {
        world.weather = { ...world.weather, [line]: rough(random) };
        return () => {
          world.weather = { ...world.weather, [line]: FAIR };
        };
      };
    const cut = (line: string): Fault =>
      this.#atNode(({ process }) => {
        world.cut.add(`${process.node} ${line}`);
        return () => world.cut.delete(`${process.node} ${line}`);
      });
    return {
      storeRough: roughLine('store'),
      redisRough: roughLine('redis'),
      callersRough: roughLine('http'),
      storeCut: cut('store'),
      redisCut: cut('redis'),
      storeDown: () => {
        world.isStoreDown = true;
        return () => {
          world.isStoreDown = false;
        };
      },
      redisDown: () => {
        world.redis.down();
        return () => world.redis.up();
      },
      redisForgets: () => {
        world.redis.flush();
        return nothing;
      },
      receiversFail: (_ms, random) => {
        const how = pickBy<HookAnswer>(random, ['fails', 'refuses', 'silent', 'lost']);
        world.receives = () => (random() < 0.7 ? how : 'ok');
        return () => {
          world.receives = () => 'ok';
        };
      },
    };
  }

  #ofPhones(): Readonly<Record<string, Fault>> {
    const { sandbox } = this.#world;
    const device =
      (kind: FaultOrder['kind']): Fault =>
      (ms, random) => {
        const { phone } = pickBy(random, pickBy(random, this.#tenants).devices);
        try {
          sandbox.device(phone).fault({ kind, forMs: ms });
        } catch {
          // The device is not linked at the moment.
        }
        return nothing;
      };
    return {
      drop: device('drop'),
      silent: device('silent'),
      slow: device('slow'),
      replaced: device('replaced'),
      phoneOff: (_ms, random) => {
        const phone = sandbox.phone(pickBy(random, pickBy(random, this.#tenants).people));
        phone.set({ online: false });
        return () => phone.set({ online: true });
      },
    };
  }

  /** Faults of the official platform, if a tenant has a number there. */
  #ofPlatform(): Readonly<Record<string, Fault>> {
    const { official } = this.#world.sandbox;
    const numbers = official.numbers();
    if (numbers.length === 0) return {};
    const hooks =
      (habits: HookHabits): Fault =>
      () => {
        official.hooks.habits = habits;
        return () => {
          official.hooks.habits = {};
        };
      };
    return {
      platformFails: (_ms, random) => {
        const how = pickBy(random, [
          { drop: 'after_body' },
          { drop: 'before_body' },
          { http: 502 },
          { code: 130_429 },
          { code: 131_016 },
        ] as const);
        official.change(pickBy(random, numbers).id, { fault: { ...how, times: 1 + Math.floor(random() * 4) } });
        return nothing;
      },
      hooksTwice: hooks({ twice: true }),
      hooksHeld: hooks({ held: true }),
    };
  }

  #atNode(run: (at: RunningNode, ms: number, random: Random) => () => void): Fault {
    return (ms, random) => {
      const up = this.#world.running();
      return up.length > 0 ? run(pickBy(random, up), ms, random) : nothing;
    };
  }

  #died(id: string, restartMs: number): void {
    this.kills += 1;
    this.#restart(id, restartMs);
  }

  #restart(id: string, ms: number): void {
    const world = this.#world;
    world.time.after(ms, async () => {
      if (!world.nodes.get(id)?.process.isKilled) return;
      const { process } = await world.boot(id);
      if (process.isKilled) this.#restart(id, 2_000);
    });
  }
}
