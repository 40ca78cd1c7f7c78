import { createSystem } from 'comedy';
import { perform, type Tell, type Troupe } from './workload.ts';

/** Creating more actors than this takes minutes. */
const MAX_ACTORS = 10_000;

const quiet = { isDebug: () => false, debug() {}, info() {}, warn() {}, error() {} };

async function make(count: number, received: () => void): Promise<Troupe> {
  const root = await createSystem({ log: quiet, test: true }).rootActor();
  const adder = () => {
    let sum = 0;
    return {
      add(message: Tell): void {
        sum += message.by;
        received();
      },
      sum: (): number => sum,
    };
  };
  const actors = await Promise.all(Array.from({ length: count }, () => root.createChild(adder(), { mode: 'in-memory' })));
  return {
    tell: (index, message) => void actors[index]!.send('add', message),
    ask: (index) => actors[index]!.sendAndReceive('sum'),
  };
}

await perform(make, { most: MAX_ACTORS });
