import { Refusal } from '../../../runtime/errors.ts';
import { Recent } from '../../../runtime/recent.ts';
import type { OpenFile, OutgoingEdit, OutgoingErasure, OutgoingMessage, OutgoingReaction } from '../port.ts';
import { type Composed, compose, editOf, erasureOf, type Key, reactionTo, type Uploaded } from './compose.ts';
import { upload } from './files.ts';
import type { BinaryNode } from './library.ts';
import { quoteOf } from './quote.ts';
import { expect } from './spread.ts';
import type { Wires } from './wires.ts';

/** Why the network will not take a message, whatever is tried. */
class Refused extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Writes messages under ids that we chose, and hears the network's own word on each (its `ack`), which the library does not pass on. Messages
 * of one chat leave in the order in which they were given, but for files, which leave when they are read.
 */
export class Outbound {
  readonly #wires: Wires;
  readonly #sent = new Recent<string, true>(REMEMBERED);
  readonly #tails = new Map<string, Promise<void>>();
  readonly #working = new Set<Promise<void>>();

  constructor(wires: Wires) {
    this.#wires = wires;
    wires.socket.ws.on('CB:ack,class:message', (node: BinaryNode) => this.#acked(node));
  }

  send(message: OutgoingMessage, open: OpenFile | undefined): void {
    const { netId, to } = message;
    if (!('file' in message.content)) return this.#inOrder(netId, to, () => this.#write(netId, to, () => this.#compose(message, null)));
    this.#work(netId, async () => {
      const file = await this.#upload(message, open);
      this.#inOrder(netId, to, () => this.#write(netId, to, () => this.#compose(message, file)));
    });
  }

  react({ netId, target, emoji }: OutgoingReaction): void {
    this.#act(netId, target.chat, reactionTo(keyOf(target), emoji, this.#wires.clock.now()));
  }

  edit({ netId, target, body }: OutgoingEdit): void {
    this.#act(netId, target.chat, editOf(this.#wires.library, keyOf(target), body, this.#wires.clock.now()));
  }

  erase({ netId, target }: OutgoingErasure): void {
    this.#act(netId, target.chat, erasureOf(this.#wires.library, keyOf(target)));
  }

  /** What the network asks to be sent once more; undefined: it is gone, and an empty one would be shown as such. */
  async again(netId: string): Promise<Composed['message'] | undefined> {
    const { recall, openFile } = this.#wires;
    const message = await recall(netId);
    if (!message) return undefined;
    if (!('file' in message.content)) return (await this.#compose(message, null)).message;
    const { fileKey } = message;
    if (fileKey === undefined || !openFile) return undefined;
    const file = await this.#upload(message, () => openFile(fileKey));
    return (await this.#compose(message, file)).message;
  }

  /** Resolves when everything that was given so far was written, or could not be. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
    // It leaves when that is stored.
    await this.#wires.keyring.durable().catch(() => {});
  }

  #act(netId: string, chat: string, composed: Composed): void {
    this.#inOrder(netId, chat, () => this.#write(netId, chat, () => composed));
  }

  async #upload(message: OutgoingMessage, open: OpenFile | undefined): Promise<Uploaded> {
    if (!open) throw new Refused('media_gone');
    return upload(this.#wires, message, open);
  }

  async #compose(message: OutgoingMessage, file: Uploaded | null): Promise<Composed> {
    return compose(this.#wires.creds, message, file, message.quotes === null ? {} : await quoteOf(this.#wires, message.to, message.quotes));
  }

  #inOrder(netId: string, chat: string, work: () => Promise<void>): void {
    const tail = (this.#tails.get(chat) ?? Promise.resolve()).then(() => this.#trying(netId, work));
    this.#tails.set(chat, tail);
    this.#busyWith(tail.finally(() => this.#tails.get(chat) === tail && this.#tails.delete(chat)));
  }

  #work(netId: string, work: () => Promise<void>): void {
    this.#busyWith(this.#trying(netId, work));
  }

  #busyWith(work: Promise<void>): void {
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }

  /** What fails for another reason than the network's word leaves the message without an answer: its device tries again. */
  async #trying(netId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      const reason = reasonOf(cause);
      if (reason) this.#wires.tell({ type: 'refused', netId, reason });
      else this.#wires.log.debug({ err: cause, message: netId }, 'a message could not be written');
    }
  }

  async #write(netId: string, to: string, composing: () => Composed | Promise<Composed>): Promise<void> {
    const { socket } = this.#wires;
    if (to.endsWith('@g.us')) await this.#assertMember(to);
    else await this.#assertOnNetwork(to);
    const { message, attributes = {}, pollType } = await composing();
    if (to.endsWith('@g.us') && !attributes['edit']) expect(this.#wires, netId, to);
    this.#sent.set(netId, true);
    await socket.relayMessage(to, message, {
      messageId: netId,
      additionalAttributes: { ...attributes },
      additionalNodes: pollType ? [{ tag: 'meta', attrs: { polltype: pollType } }] : [],
    });
  }

  /** The library would send to our own phone alone, and the network would take that. What this finds is what the library then sends to. */
  async #assertOnNetwork(to: string): Promise<void> {
    const { library, socket, creds } = this.#wires;
    const me = library.jidNormalizedUser(creds.me!.id);
    if (library.areJidsSameUser(to, me)) return;
    const devices = await socket.getUSyncDevices([me, to], true, false);
    const user = library.jidDecode(to)?.user;
    if (!devices.some((device) => device.user === user)) throw new Refused('not_on_network');
  }

  async #assertMember(group: string): Promise<void> {
    const { account, socket, library, creds } = this.#wires;
    const known = account.groups.get(group);
    const found = known ?? (await socket.groupMetadata(group).catch((cause) => notInGroup(cause)));
    const isMe = (jid: string | undefined): boolean =>
      library.areJidsSameUser(jid, creds.me?.id) || library.areJidsSameUser(jid, creds.me?.lid);
    if (!found.participants.some(({ id, phoneNumber, lid }) => isMe(id) || isMe(phoneNumber) || isMe(lid)))
      throw new Refused('not_in_group');
    account.groups.set(group, found);
  }

  #acked({ attrs }: BinaryNode): void {
    const { id = '', error, t } = attrs;
    if (!this.#sent.get(id)) return;
    if (error === undefined) return this.#wires.tell({ type: 'acked', netId: id, at: Number(t ?? 0) * 1_000 || this.#wires.clock.now() });
    this.#sent.delete(id);
    this.#wires.tell({ type: 'refused', netId: id, reason: `refused_${error}` });
    if (error === RESTRICTED) this.#wires.socket.fetchAccountReachoutTimelock().catch(() => {});
  }
}

/** Messages whose ack is told: more than a device ever has on the wire. */
const REMEMBERED = 1_000;
/** The network's "this number may not write to strangers now". */
const RESTRICTED = '463';
const NOBODY_CAN_READ_IT = /All encryptions failed/;
const NO_GROUP = /item-not-found|forbidden|not-authorized/;

function notInGroup(cause: unknown): never {
  throw cause instanceof Error && NO_GROUP.test(cause.message) ? new Refused('not_in_group') : cause;
}

function reasonOf(cause: unknown): string | null {
  if (cause instanceof Refused) return cause.reason;
  if (cause instanceof Refusal && cause.code === 'NOT_FOUND') return 'media_gone';
  return cause instanceof Error && NOBODY_CAN_READ_IT.test(cause.message) ? 'no_session' : null;
}

function keyOf({ chat, netId, from }: OutgoingReaction['target']): Key {
  const inGroup = chat.endsWith('@g.us');
  return { remoteJid: chat, id: netId, fromMe: from === null, ...(inGroup && from !== null && { participant: from }) };
}
