import { systemClock } from '../../../runtime/clock.ts';
import { report } from '../http/serve.ts';
import { BARE_PATH, startBareServer } from './bare-server.ts';
import { hookRequests } from './hooks.ts';

const { port } = await startBareServer();
await report({ port, requests: hookRequests([BARE_PATH], 1_000, systemClock.now()), status: 200 });
