import { perform, type Tell, type Troupe } from './workload.ts';

type Message = Tell | { readonly type: 'sum'; readonly resolve: (sum: number) => void };

/** Upper bound for comparison: the mailbox is an array, which a microtask empties. */
class Looping {
  sum = 0;
  queue: Message[] = [];
  isScheduled = false;

  accept(message: Message, received: () => void): void {
    this.queue.push(message);
    if (this.isScheduled) return;
    this.isScheduled = true;
    queueMicrotask(() => this.drain(received));
  }

  drain(received: () => void): void {
    const queue = this.queue;
    this.queue = [];
    this.isScheduled = false;
    for (let i = 0; i < queue.length; i += 1) this.handle(queue[i]!, received);
  }

  handle(message: Message, received: () => void): void {
    if (message.type === 'sum') return message.resolve(this.sum);
    this.sum += message.by;
    received();
  }
}

function make(count: number, received: () => void): Troupe {
  const actors = Array.from({ length: count }, () => new Looping());
  return {
    tell: (index, message) => actors[index]!.accept(message, received),
    ask: (index) => new Promise<number>((resolve) => actors[index]!.accept({ type: 'sum', resolve }, received)),
  };
}

await perform(make);
