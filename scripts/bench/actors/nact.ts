import { dispatch, query, type Ref, spawn, start } from 'nact';
import { perform, type Tell, type Troupe } from './workload.ts';

type Message = Tell | { readonly type: 'sum'; readonly sender: Ref<number> };

const ASK_TIMEOUT_MS = 10_000;

function make(count: number, received: () => void): Troupe {
  const system = start();
  const add = (sum: number, message: Message): number => {
    if (message.type === 'sum') {
      dispatch(message.sender, sum);
      return sum;
    }
    received();
    return sum + message.by;
  };
  // Actors are named explicitly, because with so many actors generated names would collide.
  const actors = Array.from({ length: count }, (_, i) => spawn(system, add, `adder-${i}`, { initialState: 0 }));
  return {
    tell: (index, message) => dispatch(actors[index]!, message),
    ask: (index) => query(actors[index]!, (sender: Ref<number>): Message => ({ type: 'sum', sender }), ASK_TIMEOUT_MS),
  };
}

await perform(make);
