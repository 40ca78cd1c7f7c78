import type { Logger } from 'pino';
import { NOTHING_TO_HIDE } from '../actors/inbox/sight.ts';
import { sandboxVerbs } from '../actors/network/sandbox/api.ts';
import { createSandbox } from '../actors/network/sandbox/sandbox.ts';
import { attachSandboxLines } from '../actors/network/sandbox/serve.ts';
import { refusal } from '../actors/refusals.ts';
import { sandbox as sandboxArea } from '../http/areas/sandbox.ts';
import type { Gate } from '../http/gate.ts';
import { LimitsInMemory } from '../http/limits.ts';
import { bind } from '../http/mount.ts';
import { createServer, type HttpServer } from '../http/server.ts';
import type { Clock } from '../runtime/clock.ts';

export interface SandboxParts {
  /** 0 takes any free port. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const JOURNAL_ENTRIES = 1_000_000;

/** Nobody has an account here: the sandbox's own rows need none. */
const shut: Gate = {
  bearer() {
    throw refusal('UNAUTHORIZED');
  },
  operator() {
    throw refusal('UNAUTHORIZED');
  },
};

/** The sandbox network for nodes in other processes, with its API on the same loopback port (api.md "Sandbox"). Rejects when the port is taken. */
export async function startSandbox({ port, clock, log }: SandboxParts): Promise<HttpServer> {
  const sandbox = createSandbox({ clock, journalLimit: JOURNAL_ENTRIES });
  const server = await createServer({
    host: '127.0.0.1',
    port,
    gate: shut,
    limits: new LimitsInMemory(),
    log,
    clock,
    areas: [bind(sandboxArea, sandboxVerbs(sandbox))],
    devices: { find: async () => null },
    sight: NOTHING_TO_HIDE,
    isStoreDown: () => false,
    readiness: {},
  });
  attachSandboxLines(server.listener, sandbox);
  await server.start();
  return server;
}
