import type { Readable } from 'node:stream';
import type { PastMessage } from '../port.ts';
import { statusOf } from './closing.ts';
import { GONE } from './files.ts';
import type { proto, WAMessage } from './library.ts';
import { messagesOf, packedIn, unpacked } from './past.ts';
import { attempt, type Wires } from './wires.ts';

const HISTORY = 'history';
/** Messages that the hearer gets at once. */
const BATCH = 100;
/** Of a history that comes inside of its notice: it is kept with the secrets until it is read. */
const MOST_INLINE_BYTES = 2 * 1024 * 1024;

/** A part of the history that the phone sends to a device that it linked, of which it is not yet known to be stored. */
interface KeptPart {
  /** The phone's notice, as it came, in base64. */
  readonly notice: string;
}

/**
 * What was said before the device was linked, as far as the configuration wants it. The phone tells where a part of it lies; that is kept with
 * the chain step that opened it, so that a part is read to its end however often the process dies. Its messages are told in batches, the next
 * when the last is stored.
 */
export class History {
  readonly #wires: Wires;
  #tail: Promise<void> = Promise.resolve();

  constructor(wires: Wires) {
    this.#wires = wires;
  }

  /** Goes on with what the last process left. */
  async resume(): Promise<void> {
    for (const [netId, part] of await this.#wires.keyring.all(HISTORY)) this.#read(netId, part as KeptPart);
  }

  /** Keeps a part, together with what else is being kept; false: it is none, or not wanted. */
  keep({ key, message }: WAMessage): boolean {
    const { library, history, keyring } = this.#wires;
    const notice = message?.protocolMessage?.historySyncNotification;
    if (history === 0 || !notice || !key.fromMe || !key.id) return false;
    const { INITIAL_BOOTSTRAP, RECENT, FULL } = library.proto.HistorySync.HistorySyncType;
    const isWanted = [INITIAL_BOOTSTRAP, RECENT, FULL].some((type) => notice.syncType === type);
    if (!isWanted || (notice.initialHistBootstrapInlinePayload?.length ?? 0) > MOST_INLINE_BYTES) return false;
    const bytes = library.proto.Message.HistorySyncNotification.encode(notice).finish();
    keyring.set(HISTORY, { [key.id]: { notice: Buffer.from(bytes).toString('base64') } satisfies KeptPart });
    return true;
  }

  /** Reads what was kept of this message. */
  async read(netId: string): Promise<void> {
    const { [netId]: part } = await this.#wires.keyring.get(HISTORY, [netId]);
    if (part) this.#read(netId, part as KeptPart);
  }

  #read(netId: string, { notice }: KeptPart): void {
    const decoded = this.#wires.library.proto.Message.HistorySyncNotification.decode(Buffer.from(notice, 'base64'));
    this.#tail = this.#tail.then(() => this.#tellAll(netId, decoded)).catch((cause) => this.#later(netId, cause));
  }

  async #tellAll(netId: string, notice: proto.Message.IHistorySyncNotification): Promise<void> {
    const { opened, keyring, log, library, creds, recall, history } = this.#wires;
    await opened;
    const bytes = await unpacked(await this.#open(notice));
    if (bytes) for await (const chat of messagesOf({ library, creds, recall }, bytes, history)) await this.#tell(netId, chat);
    else log.warn({ part: netId }, 'a part of a history was too large and is left');
    keyring.set(HISTORY, { [netId]: null });
  }

  async #open(notice: proto.Message.IHistorySyncNotification): Promise<Readable> {
    const { initialHistBootstrapInlinePayload: inline, mediaKey, directPath } = notice;
    if (inline?.length) return packedIn(inline);
    const { socket, library, tunnel } = this.#wires;
    await socket.refreshMediaConn();
    const way = { host: socket.getMediaHost(), ...(tunnel && { options: tunnel.downloads }) };
    return library.downloadContentFromMessage({ mediaKey: mediaKey ?? null, directPath: directPath ?? null }, 'md-msg-hist', way);
  }

  async #tell(part: string, chat: readonly PastMessage[]): Promise<void> {
    for (let start = 0; start < chat.length; start += BATCH) {
      const messages = chat.slice(start, start + BATCH);
      const token = `history ${part} ${messages[0]!.netId}`;
      await new Promise<void>((stored) => this.#wires.keep({ type: 'history', token, messages }, stored));
    }
  }

  /** What the network has no more is not waited for; of the rest the next login is another try. */
  #later(netId: string, cause: unknown): void {
    this.#wires.log.warn({ err: cause, part: netId }, 'a part of the history could not be read');
    if (GONE.has(statusOf(cause))) this.#wires.keyring.set(HISTORY, { [netId]: null });
  }
}

/** Begins with what is left of earlier parts. */
export function hearHistory(wires: Wires): History {
  const history = new History(wires);
  if (wires.history > 0) attempt(wires, 'reading the history', () => history.resume());
  return history;
}
