import { startGateway } from '../start/gateway.ts';

/** `npm start` from the sources as they are: where the bundle of them cannot be used (scripts/start/kept.js). */
await startGateway();
