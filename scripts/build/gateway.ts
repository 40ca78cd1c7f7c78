import { join } from 'node:path';
import { startGateway } from '../commands/start-gateway.ts';

/** Entry of `npm start`, bundled as `dist/gateway.mjs`: the gateway with the console built next to it. */
await startGateway({ builtConsole: join(import.meta.dirname, '../../dist/console') });
