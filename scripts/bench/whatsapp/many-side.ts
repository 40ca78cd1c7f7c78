import { at } from '../../../runtime/invariant.ts';
import '../../../test/network-peer/silent-logger.ts';
import { setTimeout as later } from 'node:timers/promises';
import { type ConnectionState, makeWASocket, type WASocket } from '@whiskeysockets/baileys';
import { pino } from 'pino';
import { loadLibrary } from '../../../actors/network/whatsapp/library.ts';
import { type Auth, newAuth, trust } from '../../../test/network-peer/bare.ts';
import { type RemotePeer, spawnPeer } from '../../../test/network-peer/process/remote.ts';
import { cpuMs, Device, heap, linkTo, openSharedDeps } from './device.ts';

export interface Figures {
  readonly perSecond: number;
  readonly cpuMs: number;
  /** Bytes per idle device, after garbage collection. */
  readonly heap: number;
  readonly rss: number;
}

interface Linked {
  send(body: string): void;
  read(messages: number): Promise<void>;
}

interface Side {
  readonly peer: RemotePeer;
  link(shop: string, contact: string): Promise<Linked>;
}

const SETTLES_MS = 5_000;
const TEXT = 'The quick brown fox jumps over the lazy dog, again and again.';

async function driverSide(): Promise<Side> {
  const setup = await openSharedDeps();
  // Loads the library first, so that it is not counted as memory of a device.
  await loadLibrary();
  return {
    peer: setup.peer,
    async link(shop, contact) {
      const credentialStore = setup.credentialStore(shop);
      const device = new Device(setup, shop, credentialStore, await linkTo(setup, shop, credentialStore));
      await device.receives('opened');
      let serial = 0;
      return {
        send(body) {
          serial += 1;
          const content = { type: 'text', body } as const;
          device.connection.send({ netId: `3EB0${shop}${serial}`, to: `${contact}@s.whatsapp.net`, content, quotes: null });
        },
        read: async (messages) => void (await device.receives('receipt', 2 * messages)),
      };
    },
  };
}

async function bareSide(): Promise<Side> {
  const peer = await spawnPeer();
  trust(peer.rootKey);
  return {
    peer,
    async link(shop, contact) {
      const auth = newAuth();
      const linking = open(peer, auth);
      linking.ev.on('connection.update', ({ qr }) => qr && peer.scan(shop, qr));
      await said(linking, ({ connection }) => connection === 'close');
      const socket = open(peer, auth);
      let count = 0;
      let look = (): void => {};
      socket.ws.on('CB:receipt', ({ attrs }: { readonly attrs: Readonly<Record<string, string>> }) => {
        if (attrs['type'] === 'read') count += 1;
        look();
      });
      await said(socket, ({ connection }) => connection === 'open');
      return {
        send: (text) => void socket.sendMessage(`${contact}@s.whatsapp.net`, { text }),
        async read(messages) {
          while (count < messages) {
            await new Promise<void>((resolve) => {
              look = resolve;
            });
          }
        },
      };
    },
  };
}

const open = (peer: RemotePeer, auth: Auth): WASocket =>
  makeWASocket({ waWebSocketUrl: peer.url, auth, logger: pino({ level: 'silent' }) });

function said(socket: WASocket, isIt: (update: Partial<ConnectionState>) => boolean): Promise<void> {
  return new Promise((resolve) => socket.ev.on('connection.update', (update) => isIt(update) && resolve()));
}

async function figuresOf({ peer, link }: Side, devices: number, messages: number): Promise<Figures> {
  const numbers = Array.from({ length: devices }, (_, i) => [`62811${1_000_000 + i}`, `62812${1_000_000 + i}`] as const);
  const [heapBefore, rssBefore] = await weight();
  const linked: Linked[] = [];
  for (const [shop, contact] of numbers) linked.push(await link(shop, contact));
  const [heapIdle, rssIdle] = await weight();
  for (const [i, [shop, contact]] of numbers.entries()) {
    const device = at(linked, i);
    device.send(TEXT);
    await device.read(1);
    await peer.write(contact, shop, 'warm');
  }
  await sendAll(linked, messages, 1);
  const [began, cpu] = [performance.now(), cpuMs()];
  await sendAll(linked, messages, 1 + messages);
  const all = devices * messages;
  return {
    perSecond: (all * 1_000) / (performance.now() - began),
    cpuMs: (cpuMs() - cpu) / all,
    heap: (heapIdle - heapBefore) / devices,
    rss: (rssIdle - rssBefore) / devices,
  };
}

async function sendAll(linked: readonly Linked[], messages: number, before: number): Promise<void> {
  for (let i = 0; i < messages; i += 1) for (const { send } of linked) send(`${TEXT} ${i}`);
  await Promise.all(linked.map(({ read }) => read(before + messages)));
}

async function weight(): Promise<readonly [heap: number, rss: number]> {
  await later(SETTLES_MS);
  return [heap(), process.memoryUsage().rss];
}

const [name, devices, messages] = process.argv.slice(2);
const side = await (name === 'bare' ? bareSide() : driverSide());
process.send?.(await figuresOf(side, Number(devices), Number(messages)));
process.exit(0);
