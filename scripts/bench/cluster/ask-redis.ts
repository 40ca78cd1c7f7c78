import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { BODY, measureAsks } from './asks.ts';
import { benchRedis } from './renewals.ts';

interface Packet {
  readonly n: number;
  readonly body: unknown;
}

/** Measures the minimum cost of a request through Redis: plain JSON without seals, checks or timeouts. */
if (process.send === undefined) await ask();
else await answer(process.argv[3] ?? '');

async function ask(): Promise<void> {
  await using redis = await benchRedis();
  const child = fork(fileURLToPath(import.meta.url), ['answerer', redis.url]);
  await once(child, 'message');
  const waiting = new Map<number, (body: unknown) => void>();
  const [voice, ear] = [new Redis(redis.url), new Redis(redis.url)];
  await ear.subscribe('asker');
  ear.on('message', (_channel, text) => {
    const { n, body }: Packet = JSON.parse(text);
    waiting.get(n)?.(body);
    waiting.delete(n);
  });
  let last = 0;
  await measureAsks(
    () =>
      new Promise((resolve) => {
        last += 1;
        waiting.set(last, resolve);
        void voice.publish('answerer', JSON.stringify({ n: last, body: BODY }));
      }),
  );
  child.kill();
  voice.disconnect();
  ear.disconnect();
}

async function answer(url: string): Promise<void> {
  const [voice, ear] = [new Redis(url), new Redis(url)];
  await ear.subscribe('answerer');
  ear.on('message', (_channel, text) => {
    const { n, body }: Packet = JSON.parse(text);
    void voice.publish('asker', JSON.stringify({ n, body }));
  });
  process.send?.('serves');
}
