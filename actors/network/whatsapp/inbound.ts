import type { KeptEvent } from '../port.ts';
import { Absences } from './absent.ts';
import { type History, hearHistory } from './history.ts';
import { introduce } from './introduce.ts';
import type { BinaryNode, WAMessage } from './library.ts';
import type { Secrets } from './signal/secrets.ts';
import { told } from './told.ts';
import { attempt, type Wires } from './wires.ts';

/** Something that came in and is not yet known to be stored, as it is kept with the chain step that opened it. */
interface Kept {
  readonly event: KeptEvent;
  /** null: the network waits for none. */
  readonly receipt: Receipt | null;
}

/** By network id. */
type AllKept = Readonly<Record<string, Kept>>;

interface Receipt {
  readonly jid: string;
  readonly participant: string | null;
  readonly type: 'inactive' | 'sender' | 'peer_msg' | null;
}

const INBOUND = 'inbound';
const USED_BEFORE = /DuplicatedMessage|old counter/;
/** What the network is told of a message that is not for this device, or that it has to send once more. */
const MISSING_SECRET = 495;
const UNHANDLED = 500;

/**
 * Takes messages over from the library, which tells the network that it has a message before anybody could store it. Here opening a message
 * moves its chain and keeps what it said in one write; it is heard, and only when the hearer has stored it the network gets its receipt. What
 * a process that died had opened and not handed on is heard again by the next.
 */
export class Inbound {
  readonly #wires: Wires;
  readonly #waiting = new Set<string>();
  readonly #history: History;
  readonly #absences: Absences;
  #tail: Promise<void> = Promise.resolve();

  constructor(wires: Wires) {
    this.#wires = wires;
    this.#history = hearHistory(wires);
    this.#absences = new Absences(wires);
    this.#queue(() => this.#hearAgain());
    this.#queue(() => this.#absences.resume());
    const { ws, ev } = wires.socket;
    ev.on('lid-mapping.update', (pair) => introduce(wires, pair));
    ws.removeAllListeners('CB:message');
    ws.on('CB:message', (node: BinaryNode) => this.#queue(() => this.#open(node)));
  }

  /** Resolves when everything that has come in so far was heard. */
  caughtUp(): Promise<void> {
    return this.#tail;
  }

  #queue(work: () => Promise<void>): void {
    this.#tail = this.#tail.then(work).catch((cause) => this.#wires.log.debug({ err: cause }, 'a message could not be opened'));
  }

  async #hearAgain(): Promise<void> {
    for (const [netId, kept] of await this.#wires.keyring.all(INBOUND)) this.#hear(netId, kept as Kept);
  }

  async #open(node: BinaryNode): Promise<void> {
    const { socket, signal, library, creds, log } = this.#wires;
    const netId = node.attrs['id'] ?? '';
    // Delivered again while we still store it: its receipt will come.
    if (this.#waiting.has(netId)) return;
    if (library.getBinaryNodeChild(node, 'enc')?.attrs['type'] === 'msmsg') return socket.sendMessageAck(node, MISSING_SECRET);
    const me = creds.me!;
    await this.#learnAddresses(library.decodeMessageNode(node, me.id, me.lid ?? '').fullMessage);
    const [letter, kept] = await signal.open(async (repository, draft) => {
      const opened = library.decryptMessageNode(node, me.id, me.lid ?? '', repository, socket.logger);
      await opened.decrypt();
      return [opened, await this.#keep(opened.fullMessage, opened.author, draft)] as const;
    });
    if (letter.fullMessage.messageStubType === library.proto.WebMessageInfo.StubType.CIPHERTEXT)
      return this.#unreadable(node, letter.fullMessage);
    log.trace({ message: netId }, 'a message was opened');
    await this.#passOn(letter.fullMessage, kept);
  }

  /** The two addresses of a person that come with a message: its Signal session belongs to the hidden one. */
  async #learnAddresses({ key }: WAMessage): Promise<void> {
    const { library, socket, creds } = this.#wires;
    const one = key.participant || key.remoteJid;
    const other = key.participantAlt || key.remoteJidAlt;
    if (!one || !other) return;
    // Of what we wrote elsewhere the other address may be our own.
    const isMine = (jid: string): boolean => library.areJidsSameUser(jid, creds.me!.id) || library.areJidsSameUser(jid, creds.me!.lid);
    if (isMine(one) !== isMine(other)) return;
    const [lid, pn] = library.isLidUser(other) ? [other, one] : [one, other];
    if (!library.isLidUser(lid) || !library.isPnUser(pn)) return;
    await socket.signalRepository.lidMapping.storeLIDPNMappings([{ lid, pn }]);
    await socket.signalRepository.migrateSession(pn, lid);
    introduce(this.#wires, { lid, pn });
  }

  async #keep(message: WAMessage, author: string, draft: Secrets): Promise<AllKept> {
    const { library, creds, recall } = this.#wires;
    if (!message.message || this.#history.keep(message)) return {};
    const brought = this.#absences.broughtBy(message);
    const kept: Record<string, Kept> = {};
    for (const one of [message, ...brought]) {
      library.cleanMessage(one, creds.me!.id, creds.me!.lid ?? '');
      const event = await told({ library, creds, recall }, one);
      if (event) kept[one.key.id!] = { event, receipt: one === message ? receiptOf(library, message, author) : null };
    }
    draft.set(INBOUND, kept);
    this.#absences.end([...Object.keys(kept), ...brought.map(({ key }) => key.id!)], draft);
    return kept;
  }

  async #passOn(message: WAMessage, kept: AllKept): Promise<void> {
    for (const [netId, one] of Object.entries(kept)) this.#hear(netId, one);
    if (message.key.id! in kept) return;
    const { library, socket, keyring } = this.#wires;
    const receipt = receiptOf(library, message, message.key.remoteJid!);
    await keyring.durable();
    // What our own phone tells its devices (keys, history) is the library's to act on.
    if (message.message?.protocolMessage) await socket.upsertMessage(message, 'notify');
    await keyring.durable();
    await this.#sendReceipt(message.key.id!, receipt);
    await this.#history.read(message.key.id!);
  }

  #hear(netId: string, kept: Kept): void {
    this.#waiting.add(netId);
    this.#wires.keep(kept.event, () => attempt(this.#wires, 'a receipt', () => this.#stored(netId, kept.receipt)));
  }

  async #stored(netId: string, receipt: Receipt | null): Promise<void> {
    const { keyring, opened } = this.#wires;
    await keyring.durable();
    // What the last process left is heard before the login is through.
    await opened;
    if (receipt) await this.#sendReceipt(netId, receipt);
    this.#waiting.delete(netId);
    keyring.set(INBOUND, { [netId]: null });
  }

  #sendReceipt(netId: string, { jid, participant, type }: Receipt): Promise<void> {
    // The library's types know fewer kinds of receipts than it sends.
    return this.#wires.socket.sendReceipt(jid, participant ?? undefined, [netId], (type ?? undefined) as 'sender' | undefined);
  }

  /** Opened before means stored before, for that is one write: the network only missed the receipt. Of anything else another copy is asked for. */
  async #unreadable(node: BinaryNode, message: WAMessage): Promise<void> {
    const { socket, library } = this.#wires;
    if (USED_BEFORE.test(message.messageStubParameters?.[0] ?? '')) {
      const author = message.key.participant || message.key.remoteJid!;
      return this.#sendReceipt(message.key.id!, receiptOf(library, message, author));
    }
    if (message.messageStubParameters?.[0] === library.NO_MESSAGE_FOUND_ERROR_TEXT) {
      await this.#absences.note(node, message);
      return socket.sendMessageAck(node);
    }
    await socket.sendRetryRequest(node, !library.getBinaryNodeChild(node, 'enc'));
    await socket.sendMessageAck(node, UNHANDLED);
  }
}

function receiptOf(library: Wires['library'], { key, category }: WAMessage, author: string): Receipt {
  const jid = key.remoteJid!;
  if (category === 'peer') return { jid, participant: key.participant ?? null, type: 'peer_msg' };
  if (!key.fromMe) return { jid, participant: key.participant || null, type: 'inactive' };
  const hidden = library.isLidUser(jid) || library.isLidUser(key.remoteJidAlt ?? undefined);
  return { jid, participant: (hidden ? author : key.participant) ?? null, type: 'sender' };
}
