import { makeWASocket } from '@whiskeysockets/baileys';
import { pino } from 'pino';
import { link } from '../../../test/network-peer/bare.ts';
import type { Peer } from '../../../test/network-peer/peer.ts';
import { until } from '../processes.ts';
import { KillWorld, SHOP } from './world.ts';

export interface Silence {
  readonly accepted: number;
  /** Number of messages that no phone shows and that the log does not report as failed. */
  readonly lost: number;
  readonly doubled: number;
  /** Number of messages that no phone shows and that the log reports as failed. */
  readonly failed: number;
}

const ANNA = '6281100000011';
const SILENT_MS = 5_000;
const SETTLES_WITHIN_MS = 120_000;
const MAX_CONCURRENT = 10;

/** For 5 s, the network accepts everything but does not respond. Then it cuts the connection. */
export async function gatewaySilence(count: number, mongodbUrl: string | null): Promise<Silence> {
  const world = await KillWorld.open({ mongodbUrl, isKilled: false });
  try {
    const ids = new Map<string, string>();
    await sendAll(count, world.peer, async (body) => {
      const { status, body: answer } = await world.api('POST', `${world.path}/messages`, { chat_id: ANNA, type: 'text', body });
      if (status === 202) ids.set(body, answer.id);
    });
    const missing = () => [...ids.keys()].filter((body) => !shown(world.peer).includes(body));
    await until(SETTLES_WITHIN_MS, async () => missing().length === 0);
    const failed: string[] = [];
    for (const body of missing()) {
      const { body: row } = await world.api('GET', `${world.path}/messages/${ids.get(body)}`);
      if (row.status === 'failed') failed.push(body);
    }
    return { accepted: ids.size, lost: missing().length - failed.length, doubled: doubled(world.peer), failed: failed.length };
  } finally {
    await world.close();
  }
}

export async function bareSilence(count: number, peer: Peer): Promise<Silence> {
  const auth = await link(peer, SHOP);
  let socket = await open(peer, auth);
  const accepted: string[] = [];
  socket.ev.on('connection.update', async ({ connection }) => {
    if (connection === 'close') socket = await open(peer, auth);
  });
  await sendAll(count, peer, async (text) => {
    await socket.sendMessage(`${ANNA}@s.whatsapp.net`, { text });
    accepted.push(text);
  });
  await until(20_000, async () => accepted.every((body) => shown(peer).includes(body)));
  const lost = accepted.filter((body) => !shown(peer).includes(body)).length;
  socket.end(undefined);
  return { accepted: accepted.length, lost, doubled: doubled(peer), failed: count - accepted.length };
}

type Auth = Awaited<ReturnType<typeof link>>;

async function open(peer: Peer, auth: Auth): Promise<ReturnType<typeof makeWASocket>> {
  const socket = makeWASocket({ waWebSocketUrl: peer.url, auth, logger: pino({ level: 'silent' }) });
  await new Promise<void>((resolve) => {
    socket.ev.on('connection.update', ({ connection }) => connection === 'open' && resolve());
  });
  return socket;
}

async function sendAll(count: number, peer: Peer, send: (body: string) => Promise<void>): Promise<void> {
  for (let sent = 0; sent < count; sent += MAX_CONCURRENT) {
    if (sent >= count / 3 && sent < count / 3 + MAX_CONCURRENT) peer.fault({ kind: 'half-open', forMs: SILENT_MS });
    const bodies = Array.from({ length: Math.min(MAX_CONCURRENT, count - sent) }, (_, i) => `message ${sent + i}`);
    await Promise.all(bodies.map((body) => send(body).catch(() => {})));
  }
}

const shown = (peer: Peer): readonly string[] =>
  peer
    .contact(ANNA)
    .shows()
    .map(({ text }) => text);

const doubled = (peer: Peer): number => shown(peer).length - new Set(shown(peer)).size;
