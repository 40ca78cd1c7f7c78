import { systemClock } from '../../../runtime/clock.ts';
import { report } from '../http/serve.ts';
import { BARE_PATH, startBareServer } from './bare-server.ts';
import { hookRequests } from './hooks.ts';

const { port } = await startBareServer();
const requests = hookRequests([BARE_PATH], 1_000, systemClock.now());
await report({ port, requests, status: 200 }, { warmUp: 5_000, answers: 10_000 });
