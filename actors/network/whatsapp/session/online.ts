import type { IncomingMessage } from 'node:http';
import { userOf } from '../../jid.ts';
import type { ConnectionEvent, KeptEvent, MessageKey, Presence } from '../../port.ts';
import { Watches } from '../channels/watches.ts';
import { handleCalls } from '../inbound/calls.ts';
import { handleChatStates } from '../inbound/chat-states.ts';
import { EarlyReceipts } from '../inbound/early-receipts.ts';
import { handleGroupNotices } from '../inbound/group-notices.ts';
import { Inbound } from '../inbound/inbound.ts';
import { Mappings } from '../inbound/mappings.ts';
import { handleNotices } from '../inbound/notices.ts';
import { handleReceipts } from '../inbound/receipts.ts';
import { handleStaleGroups } from '../inbound/stale-groups.ts';
import type { Unacknowledged } from '../inbound/unacknowledged.ts';
import { unknownStanza } from '../inbound/unknown.ts';
import { phoneOf } from '../keys/account.ts';
import { KeyHolders } from '../keys/key-holders.ts';
import { signalKeys, writeCreds } from '../keys/signal-store.ts';
import type { BinaryNode } from '../library.ts';
import { ChatAddressing } from '../outbound/addressing.ts';
import { ChatSettings } from '../outbound/chat-settings.ts';
import { deviceLists } from '../outbound/device-lists.ts';
import { forgetOld } from '../outbound/group-receipts.ts';
import { Outbound } from '../outbound/outbound.ts';
import { assertWantedBy } from '../outbound/recipients.ts';
import { handleAccountNotices } from '../questions/account-notices.ts';
import { readAddressBook } from '../questions/address-book.ts';
import { ChatMarkSync } from '../questions/chat-mark-sync.ts';
import { LabelSync } from '../questions/label-sync.ts';
import { el } from '../questions/query.ts';
import { Signal } from '../signal/signal.ts';
import { Appearance } from './appearance.ts';
import { attempt, type ConnectionContext } from './connection-context.ts';
import { DurableWriteGate } from './durable-write-gate.ts';
import { tellProfile } from './profile.ts';
import { openSocket } from './socket.ts';

type Made =
  | 'socket'
  | 'frames'
  | 'signal'
  | 'keyHolders'
  | 'deviceLists'
  | 'addressing'
  | 'keep'
  | 'opened'
  | 'labels'
  | 'chatMarks'
  | 'appearance'
  | 'chatSettings'
  | 'watches';
type OnlineParts = Omit<ConnectionContext, Made> & { readonly keeper: Unacknowledged };

export class Online {
  readonly context: ConnectionContext;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  isOpen = false;
  readonly #watches: Watches;
  readonly #chatSettings: ChatSettings;
  readonly #appearance: Appearance;
  readonly #open = Promise.withResolvers<void>();

  constructor(parts: OnlineParts, url: string | null, build: number | null) {
    const { library, credentialBuffer, creds, account, tunnel, clock, log, keeper } = parts;
    const signal = new Signal(library, credentialBuffer);
    const keyHolders = new KeyHolders(credentialBuffer);
    const lists = deviceLists(credentialBuffer, account.devices, clock);
    const { socket, frames } = openSocket({
      library,
      url,
      build,
      tunnel,
      creds,
      keys: signalKeys(credentialBuffer, keyHolders),
      account,
      log,
      makeSignalRepository: signal.make,
      devices: lists,
    });
    socket.ws.on('upgrade', (answer: IncomingMessage) => {
      DurableWriteGate.of(answer.socket, credentialBuffer);
      frames.writeTo(answer);
    });
    const watches = { watch: (channel: string) => this.#watches.watch(channel) };
    const keep = (event: KeptEvent, stored: () => void): void => {
      if (event.type === 'received') this.#appearance.heard(event.message.chat);
      keeper.keep(event, stored);
    };
    const addressing = new ChatAddressing({ ...parts, socket, signal });
    const chatSettings = new ChatSettings(library);
    this.#chatSettings = chatSettings;
    const appearance = new Appearance({ ...parts, socket, addressing });
    this.#appearance = appearance;
    const shared = {
      ...parts,
      appearance,
      chatSettings,
      tell: (event: ConnectionEvent): void => void (chatSettings.heard(event) || parts.tell(event)),
      socket,
      frames,
      signal,
      keyHolders,
      deviceLists: lists,
      addressing,
      opened: this.#open.promise,
      keep,
      watches,
    };
    this.context = { ...shared, labels: new LabelSync(shared), chatMarks: new ChatMarkSync(shared) };
    readAddressBook(shared);
    this.#watches = new Watches(this.context);
    socket.ev.on('creds.update', () => writeCreds(credentialBuffer, creds));
    const mappings = new Mappings(this.context);
    this.inbound = new Inbound(this.context, mappings);
    this.outbound = new Outbound(this.context, assertWantedBy(this.context, mappings));
    chatSettings.writeWith((netId, chat, composing) => this.outbound.act(netId, chat, composing));
    const early = new EarlyReceipts(this.context, mappings);
    handleReceipts(this.context, this.outbound, { early, caughtUp: () => this.inbound.caughtUp() });
    this.#follow();
  }

  end(): void {
    this.outbound.end();
    this.#chatSettings.end();
    this.#appearance.end();
    this.#watches.end();
  }

  markRead(chat: string, messages: readonly Pick<MessageKey, 'netId' | 'from'>[]): void {
    const inGroup = chat.endsWith('@g.us');
    attempt(this.context, 'marking as read', async () => {
      const remoteJid = await this.context.addressing.known(chat);
      const keys = messages.map(({ netId: id, from }) => ({
        remoteJid,
        id,
        fromMe: false,
        ...(inGroup && from !== null && { participant: from }),
      }));
      await this.context.socket.readMessages(keys);
    });
  }

  presence(chat: string, state: Presence): void {
    attempt(this.context, 'showing presence', async () => {
      const inside = state === 'recording' ? el('composing', { media: 'audio' }) : el(state, {});
      await this.context.socket.sendNode(el('chatstate', { to: await this.context.addressing.known(chat) }, [inside]));
    });
  }

  #follow(): void {
    const { socket, account } = this.context;
    socket.ev.on('connection.update', (update) => {
      if (update.connection === 'open') this.#opened();
    });
    socket.ev.on('groups.update', (groups) => {
      for (const { id } of groups) if (id) account.groups.delete(id);
    });
    socket.ev.on('group-participants.update', ({ id }) => account.groups.delete(id));
    handleCalls(this.context);
    handleChatStates(this.context);
    handleNotices(this.context);
    handleGroupNotices(this.context);
    handleStaleGroups(this.context);
    handleAccountNotices(this.context);
    socket.ws.on('frame', (stanza: BinaryNode | Uint8Array) => {
      const name = stanza instanceof Uint8Array ? null : unknownStanza(stanza);
      if (name !== null) this.context.tell({ type: 'unknown', kind: 'stanzas', name });
    });
  }

  #opened(): void {
    const { creds, tell } = this.context;
    this.isOpen = true;
    this.#open.resolve();
    const hidden = userOf(creds.me.lid);
    const lid = hidden === undefined ? {} : { lid: `${hidden}@lid` };
    tell({ type: 'opened', phone: phoneOf(creds), name: creds.me.name ?? null, about: this.context.account.about, ...lid });
    attempt(this.context, 'reading the profile', () => tellProfile(this.context));
    attempt(this.context, 'forgetting', () => forgetOld(this.context));
  }
}
