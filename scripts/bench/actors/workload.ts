import { systemClock } from '../../../runtime/clock.ts';

export type Tell = { readonly type: 'add'; readonly by: number };

export interface Troupe {
  tell(index: number, message: Tell): void;
  ask(index: number): Promise<unknown>;
}

export type MakeTroupe = (count: number, received: () => void) => Troupe | Promise<Troupe>;

interface Case {
  readonly actors: number;
  /** Number of messages in flight at the same time, spread evenly over the actors. */
  readonly wave: number;
  readonly messages: number;
}

export const CASES = {
  'tell 1': { actors: 1, wave: 1_000, messages: 4_000_000 },
  'tell 1,000': { actors: 1_000, wave: 10_000, messages: 4_000_000 },
  'tell 100,000': { actors: 100_000, wave: 100_000, messages: 3_000_000 },
  'ask 1': { actors: 1, wave: 1_000, messages: 1_000_000 },
  'ask 1,000': { actors: 1_000, wave: 1_000, messages: 1_000_000 },
  'ask 100,000': { actors: 100_000, wave: 100_000, messages: 600_000 },
  '200,000 in one mailbox': { actors: 1, wave: 200_000, messages: 2_000_000 },
  'idle actor': { actors: 100_000, wave: 0, messages: 0 },
} as const satisfies Record<string, Case>;

export type CaseName = keyof typeof CASES;

export type Found = { readonly rate: number; readonly cpuUs: number } | { readonly bytes: number };

export async function perform(make: MakeTroupe, { most = Number.POSITIVE_INFINITY } = {}): Promise<void> {
  const [name = '', part = '1'] = process.argv.slice(2);
  if (!isCase(name)) throw new Error(`no such case: ${name}`);
  const found =
    name === 'idle actor' ? await weigh(make, Math.min(CASES[name].actors, most)) : await measure(make, name, Number(part), most);
  console.log(JSON.stringify(found));
  process.exit(0);
}

const isCase = (name: string): name is CaseName => Object.hasOwn(CASES, name);

async function measure(make: MakeTroupe, name: CaseName, part: number, most: number): Promise<Found> {
  const { wave, messages } = CASES[name];
  const waves = Math.max(2, Math.round((messages * part) / wave));
  const stage = await Stage.open(make, Math.min(CASES[name].actors, most));
  const play = name.startsWith('ask') ? () => stage.ask(wave) : () => stage.tell(wave);
  for (let i = 0; i < Math.ceil(waves / 4); i += 1) await play();
  const cpu = process.cpuUsage();
  const began = systemClock.monotonic();
  for (let i = 0; i < waves; i += 1) await play();
  const tookMs = systemClock.monotonic() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { rate: (waves * wave * 1_000) / tookMs, cpuUs: (user + system) / (waves * wave) };
}

async function weigh(make: MakeTroupe, actors: number): Promise<Found> {
  const before = heapUsed();
  const stage = await Stage.open(make, actors);
  const bytes = (heapUsed() - before) / actors;
  // Uses the stage once more, so that it cannot be garbage-collected before the measurement.
  await stage.ask(1);
  return { bytes };
}

function heapUsed(): number {
  for (let i = 0; i < 3; i += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

class Stage {
  readonly #actors: number;
  #troupe!: Troupe;
  #left = 0;
  #done: () => void = () => {};
  readonly #received = (): void => {
    this.#left -= 1;
    if (this.#left === 0) this.#done();
  };

  constructor(actors: number) {
    this.#actors = actors;
  }

  static async open(make: MakeTroupe, actors: number): Promise<Stage> {
    const stage = new Stage(actors);
    stage.#troupe = await make(actors, stage.#received);
    await stage.tell(actors);
    return stage;
  }

  tell(messages: number): Promise<void> {
    const done = this.#expect(messages);
    for (let i = 0, actor = 0; i < messages; i += 1) {
      this.#troupe.tell(actor, { type: 'add', by: i });
      actor = actor + 1 === this.#actors ? 0 : actor + 1;
    }
    return done;
  }

  ask(messages: number): Promise<void> {
    const done = this.#expect(messages);
    for (let i = 0, actor = 0; i < messages; i += 1) {
      void this.#troupe.ask(actor).then(this.#received);
      actor = actor + 1 === this.#actors ? 0 : actor + 1;
    }
    return done;
  }

  #expect(messages: number): Promise<void> {
    this.#left = messages;
    return new Promise((resolve) => {
      this.#done = resolve;
    });
  }
}
