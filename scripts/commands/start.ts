import { startGateway } from './start-gateway.ts';

/** `npm run dev`: starts the gateway from its sources and compiles the console on its first request. */
await startGateway({ builtConsole: null });
