import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `first-start.ts COMMAND…`: starts the gateway with this command once on each network and stops it when it listens, so that what Node made of the
 * sources is kept before the first real start. The command has to be that of the real start: Node keeps nothing across its own options. Data goes to
 * a directory that is deleted again. Exits 1 where a start failed.
 */
const [command = '', ...args] = process.argv.slice(2);

// The code that is kept is that of the first one.
for (const network of ['whatsapp', 'sandbox']) {
  const directory = mkdtempSync(join(tmpdir(), 'first-start-'));
  try {
    const child = spawn(command, args, {
      env: { ...process.env, NETWORK: network, PORT: '0', DATA_DIR: directory },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    // It says so once it listens; and else it ends.
    await Promise.race([once(child.stdout, 'data'), ended]);
    child.kill('SIGTERM');
    const [code] = await ended;
    if (code !== 0) throw new Error(`the gateway on ${network} ended with ${code}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
