import type { Logger } from 'pino';
import { refusal } from '../../actors/domain/refusals.ts';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { createSandbox } from '../../actors/network/sandbox/sandbox.ts';
import { attachSandboxConnections } from '../../actors/network/sandbox/server.ts';
import { NOTHING_TO_HIDE } from '../../actors/services/conversations/visibility.ts';
import { BY_FORM_ALONE } from '../../actors/services/identities/number-reader.ts';
import { sandbox as sandboxArea } from '../../http/areas/sandbox/rows.ts';
import type { Authenticator } from '../../http/core/authenticator-port.ts';
import { bind } from '../../http/core/bind.ts';
import { LimitsInMemory } from '../../http/limits/limits.ts';
import { createServer, type HttpServer } from '../../http/server/server.ts';
import type { Clock } from '../../runtime/clock.ts';

export interface SandboxParts {
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const JOURNAL_ENTRIES = 1_000_000;

/** Refuses all credentials, because the sandbox's own endpoints do not need any. */
const shut: Authenticator = {
  bearer() {
    throw refusal('UNAUTHORIZED');
  },
  operator() {
    throw refusal('UNAUTHORIZED');
  },
};

export async function startSandbox({ port, clock, log }: SandboxParts): Promise<HttpServer> {
  const sandbox = createSandbox({ clock, journalLimit: JOURNAL_ENTRIES });
  const server = await createServer({
    host: '127.0.0.1',
    port,
    authenticator: shut,
    limits: new LimitsInMemory(),
    log,
    clock,
    areas: [bind(sandboxArea, sandboxVerbs(sandbox))],
    devices: { find: async () => null },
    visibility: NOTHING_TO_HIDE,
    numbers: BY_FORM_ALONE,
    isStoreDown: () => false,
    readiness: {},
  });
  attachSandboxConnections(server.listener, sandbox);
  await server.start();
  return server;
}
