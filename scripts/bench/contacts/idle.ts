import { pause, systemClock } from '../../../runtime/clock.ts';
import { startBenchNode } from '../bench-node.ts';
import { watched } from './loop-watch.ts';

const IDLE_MS = 5_000;

await startBenchNode();
console.log(JSON.stringify(await watched(1, () => pause(systemClock, IDLE_MS))));
process.exit(0);
