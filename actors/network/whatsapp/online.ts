import type { IncomingMessage } from 'node:http';
import type { KeptEvent, MessageKey, Presence } from '../port.ts';
import { deviceLists } from './device-lists.ts';
import { Inbound } from './inbound.ts';
import type { Keeper } from './keeper.ts';
import { hearCalls, hearNotices } from './notices.ts';
import { Outbound } from './outbound.ts';
import { Outlet } from './outlet.ts';
import { tellProfile } from './profile.ts';
import { hearReceipts } from './receipts.ts';
import { Signal } from './signal/signal.ts';
import { signalKeys, writeCreds } from './signal-store.ts';
import { openSocket } from './socket.ts';
import { forgetOld } from './spread.ts';
import { attempt, type Wires } from './wires.ts';

type OnlineParts = Omit<Wires, 'socket' | 'signal' | 'keep' | 'opened'> & { readonly keeper: Keeper };

/** A device that logs in, and is then online: its socket, and what comes and goes over it. */
export class Online {
  readonly wires: Wires;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  isOpen = false;
  readonly #open = Promise.withResolvers<void>();

  constructor(parts: OnlineParts, url: string | null) {
    const { library, keyring, creds, account, tunnel, clock, log, keeper } = parts;
    const signal = new Signal(library, keyring);
    const socket = openSocket({
      library,
      url,
      tunnel,
      creds,
      keys: signalKeys(keyring),
      account,
      log,
      makeSignalRepository: signal.make,
      devices: deviceLists(keyring, account.devices, clock),
      again: (netId) => this.outbound.again(netId),
    });
    socket.ws.on('upgrade', ({ socket: connection }: IncomingMessage) => Outlet.of(connection, keyring));
    this.wires = { ...parts, socket, signal, opened: this.#open.promise, keep: (event: KeptEvent, stored) => keeper.keep(event, stored) };
    socket.ev.on('creds.update', () => writeCreds(keyring, creds));
    this.inbound = new Inbound(this.wires);
    this.outbound = new Outbound(this.wires);
    hearReceipts(this.wires, () => this.inbound.caughtUp());
    this.#follow();
  }

  markRead(chat: string, messages: readonly Pick<MessageKey, 'netId' | 'from'>[]): void {
    const inGroup = chat.endsWith('@g.us');
    const keys = messages.map(({ netId: id, from }) => ({
      remoteJid: chat,
      id,
      fromMe: false,
      ...(inGroup && from !== null && { participant: from }),
    }));
    attempt(this.wires, 'marking as read', () => this.wires.socket.readMessages(keys));
  }

  presence(chat: string, state: Presence): void {
    attempt(this.wires, 'showing presence', () => this.wires.socket.sendPresenceUpdate(state, chat));
  }

  #follow(): void {
    const { socket, account } = this.wires;
    socket.ev.on('connection.update', (update) => {
      if (update.connection === 'open') this.#opened();
    });
    socket.ev.on('groups.update', (groups) => {
      for (const { id } of groups) if (id) account.groups.delete(id);
    });
    socket.ev.on('group-participants.update', ({ id }) => account.groups.delete(id));
    hearCalls(this.wires);
    hearNotices(this.wires);
  }

  #opened(): void {
    const { creds, tell } = this.wires;
    this.isOpen = true;
    this.#open.resolve();
    tell({ type: 'opened', phone: creds.me!.id.split(/[:@]/)[0]!, name: creds.me!.name ?? null, about: this.wires.account.about });
    attempt(this.wires, 'reading the profile', () => tellProfile(this.wires));
    attempt(this.wires, 'forgetting', () => forgetOld(this.wires));
  }
}
