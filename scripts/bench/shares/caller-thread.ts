import { parentPort, workerData } from 'node:worker_threads';
import { present } from '../../../runtime/invariant.ts';
import { type Asks, ask, type Caller, flood, Tally } from './calls.ts';
import type { Access, Scene } from './customer.ts';
import { POOLS } from './pools.ts';

export interface CallerTask {
  readonly pool: string;
  readonly access: Access;
  readonly scene: Scene;
  readonly cells: Int32Array<SharedArrayBuffer>;
  readonly does: Asks | { readonly copies: number; readonly againMs: number };
}

const { pool, access, scene, cells, does }: CallerTask = workerData;
const caller: Caller = {
  ...{ access, scene, tally: new Tally(cells) },
  pool: present(
    POOLS.find(({ name }) => name === pool),
    `the pool ${pool}`,
  ),
};
parentPort?.postMessage('asks' in does ? await ask(caller, does) : await flood(caller, does.copies, does.againMs));
