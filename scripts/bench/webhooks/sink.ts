import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { addressOf } from '../../../runtime/listening.ts';

/** Starts a receiver that always responds with 200 and exits with its parent. Returns its `host:port`. */
export async function startSink(): Promise<string> {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: [] });
  process.on('exit', () => child.kill());
  const [port] = await once(child, 'message');
  return `127.0.0.1:${port}`;
}

if (process.send) {
  process.on('disconnect', () => process.exit());
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end());
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send?.(addressOf(server).port));
}
