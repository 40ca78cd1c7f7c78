import { fork } from 'node:child_process';
import { join } from 'node:path';
import { baseline } from '../../faults/whatsapp/published.ts';
import type { Figures } from './many-side.ts';

const isQuick = process.argv.includes('--quick');
const devices = Number(process.env['DEVICES'] ?? (isQuick ? 10 : 200));
const messages = Number(process.env['MESSAGES'] ?? (isQuick ? 10 : 20));

const bare = baseline();
console.log(bare.is);

function side(name: 'driver' | 'bare'): Promise<Figures> {
  const { execArgv, env } = name === 'bare' ? bare : { execArgv: [], env: {} };
  const child = fork(join(import.meta.dirname, 'many-side.ts'), [name, String(devices), String(messages)], {
    execArgv: ['--expose-gc', ...execArgv],
    env: { ...process.env, ...env },
  });
  return new Promise((resolve, reject) => {
    child.once('message', (figures: Figures) => resolve(figures));
    child.once('exit', (code) => reject(new Error(`the ${name} side ended with ${code}`)));
  });
}

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KB`;

function shown(name: string, { perSecond, cpuMs, heap, rss }: Figures): string {
  const speed = `${perSecond.toFixed(0)} messages a second, ${cpuMs.toFixed(2)} ms of CPU each`;
  return `${name}: ${speed}; an idle device ${kilobytes(heap)} of heap, ${kilobytes(rss)} of rss`;
}

for (let round = 0; round < Number(process.env['ROUNDS'] ?? 1); round += 1) {
  const library = await side('bare');
  const driver = await side('driver');
  console.log(shown('bare', library));
  console.log(shown('driver', driver));
  console.log(
    `${devices} devices: speed ${(driver.perSecond / library.perSecond).toFixed(2)} of bare, CPU ${(driver.cpuMs / library.cpuMs).toFixed(2)},`,
    `beyond bare ${kilobytes(driver.heap - library.heap)} of heap and ${kilobytes(driver.rss - library.rss)} of rss a device`,
  );
}
