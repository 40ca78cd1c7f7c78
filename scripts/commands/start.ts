import { startGateway } from './start-gateway.ts';

/** `npm run dev`: the gateway from its sources, which compiles the console at its first request. */
await startGateway({ builtConsole: null });
