import type { Readable } from 'node:stream';
import { at } from '../../../../runtime/invariant.ts';
import { MOST_OLDER } from '../../history.ts';
import type { HistoryMessage } from '../../port.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import type { proto, WAMessage } from '../library.ts';
import { GONE } from '../outbound/files.ts';
import { keepSalt, keepTokens, type Token } from '../outbound/tokens.ts';
import { statusOf } from '../session/closing.ts';
import { attempt, type ConnectionContext } from '../session/connection-context.ts';
import { factsOf, messagesOf, olderOf, packedIn, unpacked } from './history-batches.ts';
import type { Mappings } from './mappings.ts';

const HISTORY: SecretKind<KeptPart> = 'history';
const BATCH = 100;
/** Maximum size of a history inside its notice, which is stored with the secrets. */
const MAX_INLINE_BYTES = 2 * 1024 * 1024;

interface KeptPart {
  readonly notice: string;
}

/** Stores a part's location with the chain step that decrypted it, so that a crash cannot lose the part. */
export class History {
  readonly #context: ConnectionContext;
  readonly #mappings: Mappings;
  #tail: Promise<void> = Promise.resolve();

  constructor(context: ConnectionContext, mappings: Mappings) {
    this.#context = context;
    this.#mappings = mappings;
  }

  async resume(): Promise<void> {
    for (const [netId, part] of await this.#context.credentialBuffer.all(HISTORY)) this.#read(netId, part);
  }

  keep({ key, message }: WAMessage): boolean {
    const { library, credentialBuffer } = this.#context;
    const notice = message?.protocolMessage?.historySyncNotification;
    if (!notice || !key.fromMe || !key.id) return false;
    const { INITIAL_BOOTSTRAP, RECENT, FULL, ON_DEMAND } = library.proto.HistorySync.HistorySyncType;
    const isWanted = [INITIAL_BOOTSTRAP, RECENT, FULL, ON_DEMAND].some((type) => notice.syncType === type);
    if (!isWanted || (notice.initialHistBootstrapInlinePayload?.length ?? 0) > MAX_INLINE_BYTES) return false;
    const bytes = library.proto.Message.HistorySyncNotification.encode(notice).finish();
    credentialBuffer.set(HISTORY, { [key.id]: { notice: Buffer.from(bytes).toString('base64') } });
    return true;
  }

  async read(netId: string): Promise<void> {
    const { [netId]: part } = await this.#context.credentialBuffer.get(HISTORY, [netId]);
    if (part) this.#read(netId, part);
  }

  #read(netId: string, { notice }: KeptPart): void {
    const decoded = this.#context.library.proto.Message.HistorySyncNotification.decode(Buffer.from(notice, 'base64'));
    this.#tail = this.#tail.then(() => this.#tellAll(netId, decoded)).catch((cause) => this.#later(netId, cause));
  }

  async #tellAll(netId: string, notice: proto.Message.IHistorySyncNotification): Promise<void> {
    const { opened, credentialBuffer, log, library, creds, findSent, secretsOf, history, clock } = this.#context;
    const isOnDemand = notice.syncType === library.proto.HistorySync.HistorySyncType.ON_DEMAND;
    await opened;
    const bytes = await unpacked(await this.#open(notice));
    if (bytes) {
      await this.#learn(bytes);
      const reader = { library, creds, findSent, secretsOf };
      if (isOnDemand) await this.#tellOlder(netId, notice.peerDataRequestSessionId ?? '', await olderOf(reader, bytes, MOST_OLDER));
      else for await (const chat of messagesOf(reader, bytes, history, clock.now())) await this.#tell(netId, chat);
    } else log.warn({ event: 'history.part_too_large', part: netId }, 'part of a history was too large and was skipped');
    credentialBuffer.set(HISTORY, { [netId]: null });
  }

  async #learn(bytes: Buffer): Promise<void> {
    const { library, clock, addressing } = this.#context;
    const { pairs, tokens, salt, isMigrated } = await factsOf(library, bytes);
    if (isMigrated) addressing.told('lid');
    await this.#mappings.learn(pairs.map(({ lid: address, pn }) => ({ address, pn, source: 'history', at: clock.now() })));
    const named = new Map<string, Token>();
    for (const [jid, token] of tokens) named.set((await addressing.hiddenOf(jid)) ?? jid, token);
    await keepTokens(this.#context, named);
    if (salt) keepSalt(this.#context, salt);
  }

  async #open(notice: proto.Message.IHistorySyncNotification): Promise<Readable> {
    const { initialHistBootstrapInlinePayload: inline, mediaKey, directPath } = notice;
    if (inline?.length) return packedIn(inline);
    const { socket, library, tunnel } = this.#context;
    await socket.refreshMediaConn();
    const way = { host: socket.getMediaHost(), ...(tunnel && { options: tunnel.downloads }) };
    return library.downloadContentFromMessage({ mediaKey: mediaKey ?? null, directPath: directPath ?? null }, 'md-msg-hist', way);
  }

  async #tell(part: string, chat: readonly HistoryMessage[]): Promise<void> {
    for (let start = 0; start < chat.length; start += BATCH) {
      const messages = chat.slice(start, start + BATCH);
      const token = `history ${part} ${at(messages, 0).netId}`;
      await new Promise<void>((stored) => this.#context.keep({ type: 'history', token, messages }, stored));
    }
  }

  #tellOlder(part: string, request: string, { messages, more }: Awaited<ReturnType<typeof olderOf>>): Promise<void> {
    const event = { type: 'history', token: `history ${part}`, messages, older: { request, more } } as const;
    return new Promise<void>((stored) => this.#context.keep(event, stored));
  }

  /** Forgets a history part that the network no longer has. Other parts are read again at the next login. */
  #later(netId: string, cause: unknown): void {
    this.#context.log.warn({ event: 'history.part_unreadable', err: cause, part: netId }, 'part of the history could not be read');
    if (GONE.has(statusOf(cause))) this.#context.credentialBuffer.set(HISTORY, { [netId]: null });
  }
}

export function handleHistory(context: ConnectionContext, mappings: Mappings): History {
  const history = new History(context, mappings);
  attempt(context, 'reading the history', () => history.resume());
  return history;
}
