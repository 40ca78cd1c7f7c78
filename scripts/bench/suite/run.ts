import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { systemClock } from '../../../runtime/clock.ts';

/** Prints the wall time of a small directory of tests (`quick`) or all tests (`full`), which must pass. */
const run = promisify(execFile);
const files = process.argv[2] === 'quick' ? ['test/runtime/placement/'] : [];
const command = fileURLToPath(new URL('../../commands/run.js', import.meta.url));
const began = systemClock.monotonic();
await run(process.execPath, [command, 'test', ...files], { maxBuffer: 2 ** 28 });
console.log(JSON.stringify({ minutes: (systemClock.monotonic() - began) / 60_000 }));
