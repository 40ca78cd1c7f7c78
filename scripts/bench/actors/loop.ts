import { perform, type Tell, type Troupe } from './workload.ts';

type Message = Tell | { readonly type: 'sum'; readonly resolve: (sum: number) => void };

/** The ceiling: no more than an array for a mailbox, and a microtask that empties it. */
class Looping {
  sum = 0;
  queue: Message[] = [];
  isScheduled = false;

  accept(message: Message, heard: () => void): void {
    this.queue.push(message);
    if (this.isScheduled) return;
    this.isScheduled = true;
    queueMicrotask(() => this.drain(heard));
  }

  drain(heard: () => void): void {
    const queue = this.queue;
    this.queue = [];
    this.isScheduled = false;
    for (let i = 0; i < queue.length; i += 1) this.handle(queue[i]!, heard);
  }

  handle(message: Message, heard: () => void): void {
    if (message.type === 'sum') return message.resolve(this.sum);
    this.sum += message.by;
    heard();
  }
}

function make(count: number, heard: () => void): Troupe {
  const actors = Array.from({ length: count }, () => new Looping());
  return {
    tell: (index, message) => actors[index]!.accept(message, heard),
    ask: (index) => new Promise<number>((resolve) => actors[index]!.accept({ type: 'sum', resolve }, heard)),
  };
}

await perform(make);
