import { startGateway } from './start-gateway.ts';

await startGateway({ builtConsole: null });
