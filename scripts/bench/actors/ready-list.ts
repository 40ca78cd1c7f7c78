import { perform, type Tell, type Troupe } from './workload.ts';

type Message = Tell | { readonly type: 'sum'; readonly resolve: (sum: number) => void };

class Waiting {
  sum = 0;
  readonly queue: Message[] = [];
}

/** Second upper bound: a single microtask runs all actors, which wait in one list. */
class ReadyList {
  readonly #received: () => void;
  readonly #drain = (): void => this.#run();
  #ready: Waiting[] = [];

  constructor(received: () => void) {
    this.#received = received;
  }

  accept(actor: Waiting, message: Message): void {
    actor.queue.push(message);
    if (actor.queue.length > 1) return;
    this.#ready.push(actor);
    if (this.#ready.length === 1) queueMicrotask(this.#drain);
  }

  #run(): void {
    const ready = this.#ready;
    this.#ready = [];
    for (let i = 0; i < ready.length; i += 1) this.#empty(ready[i]!);
  }

  #empty(actor: Waiting): void {
    const { queue } = actor;
    for (let i = 0; i < queue.length; i += 1) this.#handle(actor, queue[i]!);
    queue.length = 0;
  }

  #handle(actor: Waiting, message: Message): void {
    if (message.type === 'sum') return message.resolve(actor.sum);
    actor.sum += message.by;
    this.#received();
  }
}

function make(count: number, received: () => void): Troupe {
  const actors = Array.from({ length: count }, () => new Waiting());
  const list = new ReadyList(received);
  return {
    tell: (index, message) => list.accept(actors[index]!, message),
    ask: (index) => new Promise<number>((resolve) => list.accept(actors[index]!, { type: 'sum', resolve })),
  };
}

await perform(make);
