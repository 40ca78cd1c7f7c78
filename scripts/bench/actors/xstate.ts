import { createActor, fromTransition } from 'xstate';
import { perform, type Tell, type Troupe } from './workload.ts';

type Message = Tell | { readonly type: 'sum'; readonly resolve: (sum: number) => void };

function make(count: number, received: () => void): Troupe {
  const adder = fromTransition((sum: number, message: Message) => {
    if (message.type === 'sum') {
      message.resolve(sum);
      return sum;
    }
    received();
    return sum + message.by;
  }, 0);
  const actors = Array.from({ length: count }, () => createActor(adder).start());
  return {
    tell: (index, message) => actors[index]!.send(message),
    ask: (index) => new Promise<number>((resolve) => actors[index]!.send({ type: 'sum', resolve })),
  };
}

await perform(make);
