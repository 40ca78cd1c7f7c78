import { setImmediate as nextTurn } from 'node:timers/promises';
import { asError } from '../../../../runtime/errors.ts';
import { STORIES } from '../../jid.ts';
import type { KeptEvent, Whereabouts } from '../../port.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import type { BinaryNode, Library, WAMessage } from '../library.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import type { Secrets } from '../signal/secrets.ts';
import type { Repository } from '../signal/signal.ts';
import { type History, handleHistory } from './history.ts';
import { type KeyedMessage, keyed, nameOf, netIdOf, withToken, withUsername } from './keyed-message.ts';
import { bulkOf, type Mappings } from './mappings.ts';
import { copiesOf, ofOurs, withList } from './own-lists.ts';
import { PlaceholderResends } from './placeholder-resend.ts';
import { eventIn, unreadIn } from './understand.ts';
import { unpadded } from './unknown.ts';

/**
 * Receives messages in place of the library, which acknowledges them before they are stored.
 * Decrypting a message advances its chain and stores its content in one write. The receipt is sent
 * after the receiver's confirmation. If the process dies before that, the next process delivers the
 * message.
 */

interface Kept {
  readonly event: KeptEvent;
  readonly receipt: Receipt | null;
}

type AllKept = Readonly<Record<string, Kept>>;

interface Opening {
  readonly node: BinaryNode;
  readonly name: string;
  readonly draft: Secrets;
  readonly bytes: Uint8Array | null;
}

interface Receipt {
  readonly jid: string;
  readonly participant: string | null;
  readonly type: 'inactive' | 'sender' | 'peer_msg' | 'hist_sync' | null;
}

/** A message in which our own phone sends keys or addresses. Kept until the library has stored them. */
interface OfOwnPhone {
  readonly key: KeyedMessage['key'];
  readonly message: string;
  readonly receipt: Receipt;
}

const INBOUND: SecretKind<Kept> = 'inbound';
const OWN_PHONE: SecretKind<OfOwnPhone> = 'own-phone';
const USED_BEFORE = /DuplicatedMessage|old counter/;
/** Ack code for a message that is for another device, or that must be sent again. */
const MISSING_SECRET = 495;
const UNHANDLED = 500;
/** Time for the author to resend a message before the phone is asked, as in the network's own client. */
const WRITER_FIRST_MS = 5_000;
/** Larger messages are decoded in their own tick. */
const LONG_BYTES = 64 * 1024;
/** Larger messages are refused. The longest text with a quote is 524,288 bytes long. */
const MAX_SEALED_BYTES = 640 * 1024;

export class Inbound {
  readonly #context: ConnectionContext;
  readonly #waiting = new Set<string>();
  /** For each token that is a network id: the full name of its message, with chat and author. */
  readonly #tokens = new Map<string, string>();
  readonly #history: History;
  readonly #placeholderResends: PlaceholderResends;
  readonly #mappings: Mappings;
  #tail: Promise<void> = Promise.resolve();

  constructor(context: ConnectionContext, mappings: Mappings) {
    this.#context = context;
    this.#mappings = mappings;
    this.#history = handleHistory(context, mappings);
    this.#placeholderResends = new PlaceholderResends(context);
    this.#queue(() => this.#receiveAgain());
    this.#queue(() => mappings.resume());
    // Must run before newer messages are read, because the last keys that the phone sent must win.
    this.#queue(() => this.#handOverAgain());
    this.#queue(() => this.#placeholderResends.resume());
    const { ws } = context.socket;
    ws.removeAllListeners('CB:message');
    ws.on('CB:message', (node: BinaryNode) => this.#queue(() => this.#take(node)));
  }

  caughtUp(): Promise<void> {
    return this.#tail;
  }

  #queue(work: () => Promise<void>): void {
    this.#tail = this.#tail.then(work).catch((cause) => this.#context.log.debug({ err: cause }, 'a message could not be opened'));
  }

  async #receiveAgain(): Promise<void> {
    for (const [name, kept] of await this.#context.credentialBuffer.all(INBOUND)) this.#receive(name, kept);
  }

  /** Drops a message on which the library fails, because the library would fail again at each login. */
  async #handOverAgain(): Promise<void> {
    const { credentialBuffer, library, log } = this.#context;
    for (const [netId, { key, message, receipt }] of await credentialBuffer.all(OWN_PHONE)) {
      const decoded = library.proto.Message.decode(Buffer.from(message, 'base64'));
      const failed = (cause: unknown): void => log.debug({ err: cause }, 'the client library failed on a message from the phone');
      await this.#handOver({ key, message: decoded }).catch(failed);
      this.#handedOver(netId, receipt);
    }
  }

  /** Lets the library store the keys in a message. Address mappings are learned here instead. */
  async #handOver(message: WAMessage): Promise<void> {
    const bulk = message.key.fromMe ? message.message?.protocolMessage?.lidMigrationMappingSyncMessage?.encodedMappingPayload : null;
    if (!bulk) return this.#context.socket.upsertMessage(message, 'notify');
    const { mappings, isMigrated } = bulkOf(this.#context, bulk);
    if (isMigrated) this.#context.addressing.told('lid');
    await this.#mappings.learn(mappings);
  }

  #handedOver(netId: string, receipt: Receipt): void {
    attempt(this.#context, 'a receipt', async () => {
      const { credentialBuffer, opened } = this.#context;
      await credentialBuffer.durable();
      credentialBuffer.set(OWN_PHONE, { [netId]: null });
      await opened;
      await this.#sendReceipt(netId, receipt);
    });
  }

  /** Refuses a message that cannot be processed, or the network would redeliver it and then disconnect. */
  async #take(node: BinaryNode): Promise<void> {
    try {
      await this.#open(node);
    } catch (cause) {
      if (!(cause instanceof StoreFailed)) attempt(this.#context, 'an ack', () => this.#context.socket.sendMessageAck(node, UNHANDLED));
      throw cause;
    }
  }

  async #open(node: BinaryNode): Promise<void> {
    const { socket, signal, library, creds, log } = this.#context;
    if (library.getBinaryNodeChild(node, 'enc')?.attrs['type'] === 'msmsg') return socket.sendMessageAck(node, MISSING_SECRET);
    if (library.isJidNewsletter(node.attrs['from'])) return this.#openPost(node);
    const { me } = creds;
    const envelope = ofOurs(keyed(library.decodeMessageNode(node, me.id, me.lid ?? '').fullMessage), me);
    const name = nameOf(envelope.key);
    if (this.#waiting.has(name)) return;
    if (isTooLong(library, node, me)) return this.#refuse(node);
    await this.#learnAddresses(envelope);
    const [message, kept] = await signal.open(async (repository, draft) => {
      const reading = noting(repository);
      const opened = library.decryptMessageNode(node, me.id, me.lid ?? '', reading.repository, socket.logger);
      const message = withUsername(ofOurs(keyed(opened.fullMessage), me), node);
      await opened.decrypt().catch((cause) => markUnreadable(library, message, cause));
      const kept = await this.#keep(viewedOnce(library, node, message), opened.author, { node, name, draft, bytes: reading.bytes() });
      if (isUnread(kept[name])) this.#noteUnknown(message, reading.bytes());
      return [message, kept] as const;
    });
    const isSealed = message.messageStubType === library.proto.WebMessageInfo.StubType.CIPHERTEXT;
    // If a part was read, no resend is needed, because the rest may be a key for another recipient.
    if (isSealed && !(name in kept)) return this.#unreadable(node, message, name);
    this.#context.account.opened.set(name, true);
    log.trace({ message: message.key.id }, 'a message was opened');
    await this.#passOn(message, kept, name);
  }

  #refuse(node: BinaryNode): Promise<void> {
    this.#context.tell({ type: 'unknown', kind: 'contents', name: 'too long' });
    return this.#context.socket.sendMessageAck(node, UNHANDLED);
  }

  /** Passes on a post without storing it, because the network redelivers it until it is acknowledged. */
  async #openPost(node: BinaryNode): Promise<void> {
    const { socket, library, creds, keep } = this.#context;
    const opened = library.decryptMessageNode(node, creds.me.id, creds.me.lid ?? '', socket.signalRepository, socket.logger);
    await opened.decrypt();
    const event = await this.#eventOf(keyed(opened.fullMessage));
    const acknowledge = (): void => attempt(this.#context, 'an ack', () => socket.sendMessageAck(node));
    if (event) keep(event, acknowledge);
    else acknowledge();
  }

  async #learnAddresses({ key }: KeyedMessage): Promise<void> {
    const { library } = this.#context;
    const one = key.participant || key.remoteJid;
    const other = key.participantAlt || key.remoteJidAlt;
    if (one && !key.fromMe && !key.participant) this.#context.addressing.heard(one, other);
    if (!one || !other) return;
    const [lid, pn] = library.isLidUser(other) ? [other, one] : [one, other];
    await this.#mappings.learn([{ address: lid, pn, source: 'stanza', at: this.#context.clock.now() }]);
  }

  async #keep(message: KeyedMessage, author: string, { node, name, draft, bytes }: Opening): Promise<AllKept> {
    if (!message.message || this.#history.keep(message)) return {};
    const plain = bytes && unpadded(bytes);
    const copies = copiesOf(message, node).map((one) => ({ message: one, bytes: plain }));
    const brought = this.#placeholderResends.broughtBy(message);
    const kept: Record<string, Kept> = {};
    for (const [nth, one] of [...copies, ...brought].entries()) {
      const event = await this.#eventOf(one.message, one.bytes);
      const receipt = nth === 0 ? receiptOf(this.#context.library, message, author) : null;
      const named = nth === 0 ? name : nameOf(one.message.key);
      if (event) kept[named] = { event: nth < copies.length ? withList(event, message) : event, receipt };
    }
    draft.set(INBOUND, kept);
    if (!(name in kept) && isForLibrary(message)) draft.set(OWN_PHONE, { [message.key.id]: this.#ofOwnPhone(message) });
    this.#placeholderResends.end([name, ...brought.map((one) => nameOf(one.message.key))], draft);
    return kept;
  }

  #noteUnknown(message: KeyedMessage, bytes: Uint8Array | null): void {
    for (const unread of unreadIn(this.#context, message, bytes)) this.#context.tell({ type: 'unknown', kind: 'contents', ...unread });
  }

  #ofOwnPhone(message: KeyedMessage): OfOwnPhone {
    const { library } = this.#context;
    const bytes = library.proto.Message.encode(message.message ?? {}).finish();
    const receipt = receiptOf(library, message, message.key.remoteJid);
    return { key: message.key, message: Buffer.from(bytes).toString('base64'), receipt };
  }

  async #eventOf(message: KeyedMessage, bytes: Uint8Array | null = null): Promise<KeptEvent | null> {
    const { library, creds } = this.#context;
    const findSent = (netId: string) => this.#context.findSent(netId).catch((cause) => Promise.reject(new StoreFailed({ cause })));
    const secretsOf = (netId: string, where: Whereabouts) =>
      this.#context.secretsOf(netId, where).catch((cause) => Promise.reject(new StoreFailed({ cause })));
    return eventIn({ library, creds, findSent, secretsOf }, message, bytes);
  }

  async #passOn(message: KeyedMessage, kept: AllKept, named: string): Promise<void> {
    for (const [name, one] of Object.entries(kept)) this.#receive(name, one);
    if (named in kept) return;
    const { library, credentialBuffer } = this.#context;
    const receipt = receiptOf(library, message, message.key.remoteJid);
    await credentialBuffer.durable();
    if (message.message?.protocolMessage) await this.#handOver(message);
    if (isForLibrary(message)) return this.#handedOver(message.key.id, receipt);
    await credentialBuffer.durable();
    await this.#sendReceipt(message.key.id, receipt);
    const isHistory = message.key.fromMe && message.message?.protocolMessage?.historySyncNotification;
    const own = library.jidNormalizedUser(message.key.remoteJid);
    if (isHistory) await this.#sendReceipt(message.key.id, { jid: own, participant: null, type: 'hist_sync' });
    await this.#history.read(message.key.id);
  }

  #receive(name: string, kept: Kept): void {
    if (kept.receipt) this.#waiting.add(name);
    const netId = netIdOf(kept.event);
    const first = this.#tokens.get(netId) ?? name;
    this.#tokens.set(netId, first);
    const event = first === name ? kept.event : withToken(kept.event, name);
    this.#context.keep(event, () => attempt(this.#context, 'a receipt', () => this.#stored(name, kept)));
  }

  async #stored(name: string, { event, receipt }: Kept): Promise<void> {
    const { credentialBuffer, opened } = this.#context;
    await credentialBuffer.durable();
    // Wait for the login, because receipts may be sent only once it is complete.
    await opened;
    const netId = netIdOf(event);
    if (receipt) await this.#sendReceipt(netId, receipt);
    this.#waiting.delete(name);
    if (this.#tokens.get(netId) === name) this.#tokens.delete(netId);
    credentialBuffer.set(INBOUND, { [name]: null });
  }

  #sendReceipt(netId: string, { jid, participant, type }: Receipt): Promise<void> {
    // The library sends more kinds of receipts than its types list.
    return this.#context.socket.sendReceipt(jid, participant ?? undefined, [netId], (type ?? undefined) as 'sender' | undefined);
  }

  /** Asks the author for a new copy of an unreadable message immediately, and the phone later. */
  async #unreadable(node: BinaryNode, message: KeyedMessage, name: string): Promise<void> {
    const { socket, library, account } = this.#context;
    const isKnown = node.attrs['offline'] !== undefined || account.opened.get(name) === true;
    if (isKnown && USED_BEFORE.test(message.messageStubParameters?.[0] ?? '')) {
      const author = message.key.participant || message.key.remoteJid;
      return this.#sendReceipt(message.key.id, receiptOf(library, message, author));
    }
    if (message.messageStubParameters?.[0] === library.NO_MESSAGE_FOUND_ERROR_TEXT) {
      await this.#placeholderResends.note(node, message, 0);
      return socket.sendMessageAck(node);
    }
    if (isOverStatus(this.#context, message)) return socket.sendMessageAck(node);
    // The connection may be closing. The network will deliver the message again.
    if (!socket.ws.isOpen) return;
    if (message.category !== 'peer') await this.#placeholderResends.note(node, message, WRITER_FIRST_MS);
    // Without this mark, the library would wait for the phone and handle no later messages meanwhile.
    await account.asked.set(message.key.id, true);
    await socket.sendRetryRequest(node, !library.getBinaryNodeChild(node, 'enc'));
    await socket.sendMessageAck(node, UNHANDLED);
  }
}

/** Thrown if the store fails. The network redelivers the unacknowledged message at the next login. */
class StoreFailed extends Error {
  constructor(options: ErrorOptions) {
    super('a message could not be looked up in the store', options);
  }
}

const isUnread = (kept: Kept | undefined): boolean =>
  !kept || ('message' in kept.event && kept.event.message.extras?.kind === 'unsupported');

/** Treats a view-once message as one without content, which only the phone receives. */
function viewedOnce(library: Library, node: BinaryNode, message: KeyedMessage): KeyedMessage {
  const type = library.getBinaryNodeChild(node, 'unavailable')?.attrs['type'];
  if (message.message || (type !== 'view_once' && type !== 'view_once_unavailable_fanout')) return message;
  return { ...message, message: { viewOnceMessage: { message: {} } } };
}

function noting(repository: Repository) {
  let last: Uint8Array | null = null;
  const noted = async (bytes: Uint8Array): Promise<Uint8Array> => {
    last = bytes;
    if (bytes.length > LONG_BYTES) await nextTurn();
    return bytes;
  };
  return {
    bytes: () => last,
    repository: {
      ...repository,
      decryptMessage: async (sealed: Parameters<Repository['decryptMessage']>[0]) => noted(await repository.decryptMessage(sealed)),
      decryptGroupMessage: async (sealed: Parameters<Repository['decryptGroupMessage']>[0]) =>
        noted(await repository.decryptGroupMessage(sealed)),
    },
  };
}

function isTooLong(library: Library, node: BinaryNode, { id, lid }: { readonly id: string; readonly lid?: string }): boolean {
  const { from } = node.attrs;
  if (library.areJidsSameUser(from, id) || library.areJidsSameUser(from, lid)) return false;
  return library
    .getBinaryNodeChildren(node, 'enc')
    .some(({ content }) => content instanceof Uint8Array && content.length > MAX_SEALED_BYTES);
}

function markUnreadable({ proto: { WebMessageInfo } }: Library, message: KeyedMessage, cause: unknown): void {
  message.messageStubType = WebMessageInfo.StubType.CIPHERTEXT;
  message.messageStubParameters = [asError(cause).message];
}

/** Whether a message from our own phone is for the library, as all but histories and responses are. */
function isForLibrary({ key, message }: KeyedMessage): boolean {
  const said = key.fromMe && message?.protocolMessage;
  return !!said && !said.historySyncNotification && !said.peerDataOperationRequestResponseMessage;
}

const isOverStatus = ({ library, clock }: ConnectionContext, { key, messageTimestamp }: KeyedMessage): boolean =>
  key.remoteJid === STORIES && clock.now() / 1_000 - Number(messageTimestamp) > library.STATUS_EXPIRY_SECONDS;

function receiptOf(library: Library, { key, category }: KeyedMessage, author: string): Receipt {
  const jid = key.remoteJid;
  if (category === 'peer') return { jid, participant: key.participant ?? null, type: 'peer_msg' };
  if (!key.fromMe) return { jid, participant: key.participant || null, type: 'inactive' };
  const hidden = library.isLidUser(jid) || library.isLidUser(key.remoteJidAlt ?? undefined);
  return { jid, participant: (hidden ? author : key.participant) ?? null, type: 'sender' };
}
