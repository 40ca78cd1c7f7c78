import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BODY, measureAsks } from './asks.ts';

interface Packet {
  readonly n: number;
  readonly body: unknown;
}

if (process.send === undefined) await ask();
else process.on('message', ({ n, body }: Packet) => process.send?.({ n, body }));

async function ask(): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url));
  const waiting = new Map<number, (body: unknown) => void>();
  child.on('message', ({ n, body }: Packet) => {
    waiting.get(n)?.(body);
    waiting.delete(n);
  });
  let last = 0;
  await measureAsks(
    () =>
      new Promise((resolve) => {
        last += 1;
        waiting.set(last, resolve);
        child.send({ n: last, body: BODY });
      }),
  );
  child.kill();
}
