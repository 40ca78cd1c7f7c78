import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../../runtime/clock.ts';
import { storeHooksSpec } from '../../../store/store-links/hooks.ts';
import { startBenchNode } from '../bench-node.ts';
import { BARE_PATH, startBareServer } from './bare-server.ts';
import { connectStores } from './connected-stores.ts';
import { hookRequests } from './hooks.ts';

interface SteadyOrder {
  readonly stores: number;
  /** Webhooks of each store, evenly spread. */
  readonly each: number;
  readonly withinMs: number;
}

/** How the answers of one server came. */
interface Answers {
  readonly accepted: number;
  readonly p50: number;
  readonly p99: number;
}

export interface Steady {
  readonly sent: number;
  readonly gateway: Answers;
  readonly bare: Answers;
  /** Webhooks that the gateway has stored. */
  readonly stored: number;
}

interface Answer {
  readonly isAccepted: boolean;
  readonly ms: number;
}

/**
 * Stores that call at a steady pace, as they do on a good day: each webhook goes to the gateway over a connection of its own, and one like it
 * to a bare route in the same process at the same moment, so that both wait for the same event loop.
 */
export async function steady({ stores, each, withinMs }: SteadyOrder): Promise<Steady> {
  const bench = await startBenchNode();
  const bare = await startBareServer();
  const paths = await connectStores(bench, stores);
  const sent = stores * each;
  const port = Number(new URL(bench.node.url).port);
  const [ours, theirs] = [paths, [BARE_PATH]].map((some) => hookRequests(some, sent, systemClock.now()));
  const asked: Promise<readonly [Answer, Answer]>[] = [];
  const since = systemClock.monotonic();
  for (let nth = 0; nth < sent; nth += 1) {
    const due = since + (nth * withinMs) / sent - systemClock.monotonic();
    if (due > 0) await wait(due);
    asked.push(Promise.all([call(port, ours?.[nth] ?? ''), call(bare.port, theirs?.[nth] ?? '')]));
  }
  const answers = await Promise.all(asked);
  const stored = await bench.store.collection(storeHooksSpec).countDocuments({});
  await Promise.all([bench.node.stop(), bare.stop()]);
  return { sent, gateway: summed(answers.map(([one]) => one)), bare: summed(answers.map(([, one]) => one)), stored };
}

function call(port: number, request: string): Promise<Answer> {
  return new Promise((resolve) => {
    const since = systemClock.monotonic();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const end = (isAccepted: boolean): void => {
      socket.destroy();
      resolve({ isAccepted, ms: systemClock.monotonic() - since });
    };
    socket.on('connect', () => socket.write(request));
    socket.on('data', (head: Buffer) => end(head.subarray(0, 12).toString('latin1') === 'HTTP/1.1 200'));
    socket.on('error', () => end(false));
    socket.on('close', () => end(false));
  });
}

function summed(answers: readonly Answer[]): Answers {
  const times = answers.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const at = (share: number): number => times[Math.floor(share * (times.length - 1))] ?? 0;
  return { accepted: answers.filter(({ isAccepted }) => isAccepted).length, p50: at(0.5), p99: at(0.99) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const seconds = Number(process.argv[2] ?? 60);
  const { sent, stored, gateway, bare } = await steady({ stores: 20, each: 5 * seconds, withinMs: seconds * 1_000 });
  const line = ({ accepted, p50, p99 }: Answers): string => `${accepted} accepted, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
  console.log(`20 stores, 300 webhooks a minute each, ${seconds} s: ${sent} sent, ${stored} stored`);
  console.log(`gateway     ${line(gateway)} (${(gateway.p99 / bare.p99).toFixed(1)} times)`);
  console.log(`bare route  ${line(bare)}`);
  process.exit(gateway.accepted === sent && stored === sent ? 0 : 1);
}
