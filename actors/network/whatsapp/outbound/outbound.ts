import { forAtMost } from '../../../../runtime/clock.ts';
import { RecentCache } from '../../../../runtime/recent-cache.ts';
import { type Album, AlbumTurns } from '../../album-turns.ts';
import { isChannel } from '../../channels.ts';
import { STORIES } from '../../jid.ts';
import {
  EVERYONE,
  type OpenFile,
  type OutgoingEdit,
  type OutgoingErasure,
  type OutgoingMessage,
  type OutgoingReaction,
} from '../../port.ts';
import { editOfPost, erasureOfPost, postOf, reactionToPost } from '../channels/posts.ts';
import type { BinaryNode } from '../library.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import type { Address } from './address.ts';
import { audienceOf } from './audience.ts';
import { albumOf, type Composed, compose, editOf, erasureOf, keyOf, reactionTo } from './compose.ts';
import { uploadOnce } from './files.ts';
import type { Acked, Addressed, SentBefore, Written } from './forms.ts';
import { Given } from './given.ts';
import { expect } from './group-receipts.ts';
import { compareLists } from './list-hash.ts';
import { quoteOf } from './quote.ts';
import { type AssertWanted, assertMember } from './recipients.ts';
import { Refused, reasonOf } from './refused.ts';
import { type Composing, relay, relayStatus, type Way } from './relay.ts';
import type { Uploaded } from './uploaded.ts';

/** Sends messages, in order within a chat except for files. Reports acks, which the library does not. */
export class Outbound {
  readonly #context: ConnectionContext;
  readonly #assertWanted: AssertWanted;
  readonly #sent = new RecentCache<string, number>(REMEMBERED);
  readonly #written = new RecentCache<string, Written>(ASKED_FOR);
  readonly #remaking = new Map<string, Promise<Composed | null>>();
  /** Messages that have been written or are about to be written. The value is null until the ack arrives. */
  readonly #left = new RecentCache<string, Acked | null>(REMEMBERED);
  readonly #ways = new RecentCache<string, Way>(REMEMBERED);
  readonly #tails = new Map<string, Promise<void>>();
  readonly #albums: AlbumTurns;
  readonly #working = new Set<Promise<void>>();
  readonly #given = new Set<Given>();
  readonly #uploads = new Map<string, number>();
  /** Network ids of edits and deletions that wait for their ack, by post id and in order. */
  readonly #actsOnPosts = new Map<string, readonly string[]>();
  #isOver = false;

  constructor(context: ConnectionContext, wanted: AssertWanted) {
    this.#context = context;
    this.#assertWanted = wanted;
    this.#albums = new AlbumTurns(context.clock);
    context.frames.take({ isOurs: isPlainAck, receive: (node) => this.#acked(node) });
    context.socket.ws.on('CB:ack,class:message', (node: BinaryNode) => this.#acked(node));
  }

  send(message: OutgoingMessage, open: OpenFile | undefined): void {
    const { netId, to } = message;
    const hasFile = 'file' in message.content;
    if (hasFile && this.#isUploading(netId)) return void this.#give(netId);
    if (isChannel(to)) return this.#post(message, open);
    const audience = message.status?.audience;
    const writing = (file: Uploaded | null) => (): Promise<void> =>
      this.#once(netId, () => this.#write(netId, { chat: to, audience }, (to) => this.#compose({ ...message, to }, file)));
    if (!hasFile) return this.#inOrder(netId, to, writing(null));
    const turn = this.#albums.turn(message.album);
    const uploading = (): Promise<Uploaded> => this.#uploading(netId, () => this.#upload(message, open));
    this.#work(netId, () => turn(uploading, (file) => this.#leave(message, writing(file))));
  }

  #leave({ netId, to, album }: OutgoingMessage, writing: () => Promise<void>): void {
    const holding = (held: Album) => () => this.#write(held.netId, { chat: to, audience: [] }, () => albumOf(this.#context.creds, held));
    if (album) this.#inOrder(album.netId, to, () => this.#once(album.netId, holding(album)));
    this.#inOrder(netId, to, writing);
  }

  #post(message: OutgoingMessage, open: OpenFile | undefined): void {
    const { netId, to } = message;
    const posting = async (): Promise<void> => this.#writeNode(netId, await postOf(this.#context, message, open));
    if ('file' in message.content) this.#work(netId, () => this.#uploading(netId, posting));
    else this.#inOrder(netId, to, posting);
  }

  react(reaction: OutgoingReaction): void {
    const { netId, target, emoji, at } = reaction;
    if (isChannel(target.chat)) return this.#actOnPost(netId, target.chat, reactionToPost(reaction), netId);
    this.act(netId, target.chat, (to) => reactionTo(keyOf(target, to), emoji, at));
  }

  edit(edit: OutgoingEdit): void {
    const { netId, target, body, at } = edit;
    if (isChannel(target.chat)) return this.#actOnPost(netId, target.chat, editOfPost(this.#context, edit), target.netId);
    this.act(netId, target.chat, (to) => editOf(this.#context.library, keyOf(target, to), body, at));
  }

  erase(erasure: OutgoingErasure): void {
    const { netId, target, audience } = erasure;
    if (isChannel(target.chat)) return this.#actOnPost(netId, target.chat, erasureOfPost(erasure), target.netId);
    this.act(netId, target.chat, (to) => erasureOf(this.#context.library, keyOf(target, to)), audience);
  }

  /** Returns a sent message, or null if it no longer exists, because phones would show an empty message. */
  async sentAs(netId: string): Promise<SentBefore | null> {
    const written = this.#written.get(netId);
    if (written) return { to: written.to, composed: async () => written.composed };
    const message = await this.#context.findSent(netId);
    return message && { to: message.to, composed: () => this.#remade(message) };
  }

  /** Concurrent requests for a message share one copy. If composing is slow, a later one starts over. */
  #remade(message: OutgoingMessage): Promise<Composed | null> {
    const { netId } = message;
    const underWay = this.#remaking.get(netId);
    if (underWay) return underWay;
    const making = this.#remake(message);
    this.#remaking.set(netId, making);
    const forget = (): void => void this.#remaking.delete(netId);
    forAtMost(this.#context.clock, REMADE_WITHIN_MS, making).then(forget, forget);
    return making;
  }

  async #remake(message: OutgoingMessage): Promise<Composed | null> {
    const { netId, to, fileKey } = message;
    const { openFile } = this.#context;
    const hasFile = 'file' in message.content;
    const open = fileKey !== undefined && openFile ? () => openFile(fileKey) : undefined;
    if (hasFile && !open) return null;
    const composed = await this.#compose(message, hasFile ? await this.#upload(message, open) : null);
    this.#written.set(netId, { to, composed });
    return composed;
  }

  end(): void {
    this.#isOver = true;
    for (const given of this.#given) given.end();
  }

  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
    // Frames are sent only once the credential buffer is stored, so wait for it, too.
    await this.#context.credentialBuffer.durable().catch(() => {});
  }

  act(netId: string, chat: string, composing: Composing, audience?: readonly string[]): void {
    this.#inOrder(netId, chat, () => this.#write(netId, { chat, audience }, composing));
  }

  /** `named` is the id in the network's ack. For edits and deletions of a post, that is the post's id. */
  #actOnPost(netId: string, chat: string, stanza: BinaryNode | null, named: string): void {
    this.#inOrder(netId, chat, async () => {
      if (!stanza) throw new Refused('no_server_id');
      if (named !== netId) this.#actsOnPosts.set(named, [...(this.#actsOnPosts.get(named) ?? []), netId]);
      await this.#writeNode(netId, stanza);
    });
  }

  async #expectingAck<T>(netId: string, write: () => Promise<T>): Promise<T> {
    const expect = (more: number): void => this.#sent.set(netId, Math.max(0, (this.#sent.get(netId) ?? 0) + more));
    expect(1);
    try {
      return await write();
    } catch (cause) {
      expect(-1);
      throw cause;
    }
  }

  #writeNode(netId: string, stanza: BinaryNode): Promise<void> {
    return this.#expectingAck(netId, () => this.#context.socket.sendNode(stanza));
  }

  #isUploading(netId: string): boolean {
    return this.#context.clock.now() - (this.#uploads.get(netId) ?? Number.NEGATIVE_INFINITY) < UPLOADED_WITHIN_MS;
  }

  async #uploading<T>(netId: string, work: () => Promise<T>): Promise<T> {
    const since = this.#context.clock.now();
    this.#uploads.set(netId, since);
    try {
      return await work();
    } finally {
      if (this.#uploads.get(netId) === since) this.#uploads.delete(netId);
    }
  }

  async #upload(message: OutgoingMessage, open: OpenFile | undefined): Promise<Uploaded> {
    if (!open) throw new Refused('media_gone');
    return uploadOnce(this.#context, message, open);
  }

  async #named(message: OutgoingMessage): Promise<OutgoingMessage> {
    if (!message.mentions?.includes(EVERYONE)) return message;
    const group = this.#context.account.groups.get(message.to) ?? (await this.#context.socket.groupMetadata(message.to));
    return { ...message, mentions: group.participants.map(({ id }) => id) };
  }

  async #compose(message: OutgoingMessage, file: Uploaded | null): Promise<Composed> {
    const quote = message.quotes === null ? {} : await quoteOf(this.#context, message, message.quotes);
    return compose(this.#context.creds, await this.#named(message), file, quote);
  }

  #inOrder(netId: string, chat: string, work: () => Promise<void>): void {
    const given = this.#give(netId);
    const tail = (this.#tails.get(chat) ?? Promise.resolve()).then(() => this.#trying(given, work));
    this.#tails.set(chat, tail);
    this.#busyWith(tail.finally(() => this.#tails.get(chat) === tail && this.#tails.delete(chat)));
  }

  #work(netId: string, work: () => Promise<void>): void {
    this.#busyWith(this.#trying(this.#give(netId), work));
  }

  #give(netId: string): Given {
    const given = new Given(netId, this.#context.clock, () => {
      this.#given.delete(given);
      this.#context.tell({ type: 'unwritten', netId });
    });
    if (this.#isOver) given.end();
    else this.#given.add(given);
    return given;
  }

  #busyWith(work: Promise<void>): void {
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }

  async #trying(given: Given, work: () => Promise<void>): Promise<void> {
    while (!given.isOver && !(await this.#isSettled(given, work))) await given.rest();
  }

  async #isSettled(given: Given, work: () => Promise<void>): Promise<boolean> {
    const { netId } = given;
    try {
      await work();
    } catch (cause) {
      const reason = reasonOf(cause);
      if (!reason) {
        this.#context.log.debug({ err: cause, message: netId }, 'a message could not be written');
        return false;
      }
      if (!given.isOver) this.#context.tell({ type: 'refused', netId, reason });
    }
    this.#given.delete(given);
    given.end();
    return true;
  }

  /** Writes a message only once, even if called again, because the first attempt may have succeeded. */
  async #once(netId: string, writing: () => Promise<void>): Promise<void> {
    const ack = this.#left.get(netId);
    if (ack) return this.#context.tell(ack);
    if (ack === null) return;
    this.#left.set(netId, null);
    try {
      await writing();
    } catch (cause) {
      this.#left.delete(netId);
      throw cause;
    }
  }

  async #write(netId: string, { chat, audience = [] }: Addressed, composing: Composing): Promise<void> {
    if (chat === STORIES) return this.#writeStatus(netId, await audienceOf(this.#context, audience), composing);
    if (!chat.endsWith('@g.us')) {
      const address = await this.#context.addressing.reach(chat);
      await this.#assertWanted(netId, chat, address);
      this.#ways.set(netId, { chat, address, composing, isSecond: false });
      return this.#writeTo(netId, address, await composing(address.to));
    }
    await assertMember(this.#context, chat);
    const composed = await composing(chat);
    if (!composed.attributes?.['edit']) expect(this.#context, netId, chat);
    await this.#writeTo(netId, { to: chat, lid: null, pn: null }, composed);
  }

  async #writeStatus(netId: string, audience: readonly string[], composing: Composing): Promise<void> {
    if (audience.length === 0) throw new Refused('no_audience');
    const composed = await composing(STORIES);
    this.#written.set(netId, { to: STORIES, composed });
    await this.#expectingAck(netId, () => relayStatus(this.#context, netId, audience, composed));
    this.#context.keyHolders.written(netId, STORIES);
  }

  async #writeTo(netId: string, address: Address, composed: Composed): Promise<void> {
    this.#written.set(netId, { to: address.to, composed });
    await this.#expectingAck(netId, () => relay(this.#context, netId, address, composed));
    this.#context.keyHolders.written(netId, address.to);
  }

  #tryOther(netId: string, error: string, way: Way): void {
    this.#inOrder(netId, way.chat, async () => {
      const lock = error === RESTRICTED ? await this.#context.socket.fetchAccountReachoutTimelock() : null;
      const address = lock?.isActive ? null : await this.#context.addressing.other(error, way.address);
      if (!address) return this.#refused(netId, error);
      await this.#assertWanted(netId, way.chat, address);
      this.#ways.set(netId, { ...way, address, isSecond: true });
      await this.#writeTo(netId, address, await way.composing(address.to));
    });
  }

  #actAcked(named: string): string {
    const [netId, ...rest] = this.#actsOnPosts.get(named) ?? [];
    if (netId === undefined) return named;
    if (rest.length > 0) this.#actsOnPosts.set(named, rest);
    else this.#actsOnPosts.delete(named);
    return netId;
  }

  #acked({ attrs, content }: BinaryNode): void {
    const { error, t, from = '', server_id: serverId, backoff } = attrs;
    const id = this.#actAcked(attrs['id'] ?? '');
    // Further acks belong to copies that devices requested, not to the message itself.
    const awaited = this.#sent.get(id) ?? 0;
    if (awaited === 0) return;
    this.#sent.set(id, awaited - 1);
    const at = Number(t ?? 0) * 1_000 || this.#context.clock.now();
    if (error === undefined && serverId) this.#context.watches.watch(from);
    const way = this.#ways.get(id);
    if (error === undefined) {
      this.#ways.delete(id);
      if (way) this.#taken(way.address, attrs);
      this.#context.keyHolders.acknowledged(id);
      const ack: Acked = { type: 'acked', netId: id, at, ...(serverId && { serverId }) };
      if (this.#left.get(id) !== undefined) this.#left.set(id, ack);
      return this.#context.tell(ack);
    }
    // If the ack has content, the content is the reason, and trying another address would not help.
    const mayHelp = OF_ADDRESS.has(error) && !Array.isArray(content);
    if (way && !way.isSecond && mayHelp) return this.#tryOther(id, error, way);
    // The group may have changed, for example to the other form of address (421), so read it again.
    this.#context.account.groups.delete(from);
    this.#refused(id, error, Number(backoff ?? 0) * 1_000);
    if (error === RESTRICTED) this.#context.socket.fetchAccountReachoutTimelock().catch(() => {});
  }

  #taken(address: Address, { phash, refresh_lid: isStale }: BinaryNode['attrs']): void {
    const { addressing } = this.#context;
    addressing.reached(address);
    if (phash) attempt(this.#context, 'comparing devices', () => compareLists(this.#context, address.to, phash));
    if (isStale === 'true') attempt(this.#context, 'asking for a hidden address', () => addressing.refresh(address.pn ?? address.to));
  }

  #refused(netId: string, error: string, backoffMs = 0): void {
    this.#ways.delete(netId);
    this.#left.delete(netId);
    this.#context.keyHolders.refused(netId);
    this.#context.tell({ type: 'refused', netId, reason: `refused_${error}`, ...(backoffMs > 0 && { backoffMs }) });
  }
}

/** Whether the library can do without this ack, because it needs only acks with an error. */
const isPlainAck = ({ tag, attrs }: BinaryNode): boolean => tag === 'ack' && attrs['class'] === 'message' && attrs['error'] === undefined;

const ASKED_FOR = 512;
const REMEMBERED = 1_000;
const OF_ADDRESS: ReadonlySet<string> = new Set(['400', '463']);
/** The network's error for a number that currently may not write to strangers. */
const RESTRICTED = '463';
const UPLOADED_WITHIN_MS = 600_000;
const REMADE_WITHIN_MS = 60_000;
