import { join } from 'node:path';
import { startGateway } from '../commands/start-gateway.ts';

await startGateway({ builtConsole: join(import.meta.dirname, '../../dist/console') });
