import { pino } from 'pino';
import { systemClock } from '../../runtime/clock.ts';
import { startSandbox } from '../wiring/sandbox.ts';

const PORT = 9090;

/** `SANDBOX_PORT` may be 0 for any free port. */
async function main(): Promise<void> {
  const log = pino({ level: process.env['LOG_LEVEL'] ?? 'warn' });
  const server = await startSandbox({ port: portIn(process.env['SANDBOX_PORT']), clock: systemClock, log });
  const lines = [
    `The sandbox network listens on ${server.url}`,
    `  guides      ${server.url}/docs`,
    `  use it      SANDBOX_URL=${server.url} npm start`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void leave(server.stop({ timeoutMs: 1_000 })));
}

function portIn(text: string | undefined): number {
  if (!text) return PORT;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`SANDBOX_PORT must be a number from 0 to 65535, not "${text}".`);
  return port;
}

async function leave(stopped: Promise<void>): Promise<void> {
  await stopped;
  process.exit(0);
}

function fail(cause: unknown): never {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exit(1);
}

await main().catch(fail);
