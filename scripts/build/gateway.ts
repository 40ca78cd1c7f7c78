import { join } from 'node:path';
import { startGateway } from '../commands/start-gateway.ts';

/** What `npm start` runs, in `dist/gateway.mjs`: the gateway with the console that was built beside it. */
await startGateway({ builtConsole: join(import.meta.dirname, '../../dist/console') });
