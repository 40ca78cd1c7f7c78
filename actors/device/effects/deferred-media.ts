import type { Readable } from 'node:stream';
import type { Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { DeferredMedia } from '../../../store/messaging/deferred-media.ts';
import type { MessageRow, Owner } from '../../../store/messaging/messages.ts';
import { refusal, tooLarge } from '../../domain/refusals.ts';
import type { Connection } from '../../network/port.ts';
import type { DeviceFiles } from '../../services/media/device-files.ts';
import { IncomingFile } from '../../services/media/incoming-file.ts';
import { MAX_MEDIA_BYTES } from '../../services/media/library.ts';
import { factsOf, GONE } from './inbound-messages.ts';

export interface DeferredMediaDeps {
  readonly deferredMedia: DeferredMedia;
  readonly files: DeviceFiles;
  readonly clock: Clock;
}

const MAX_CONCURRENT = 4;
const MAX_JOINING = 16;
const PATIENCE_MS = 15_000;
/** Maximum number of fetches that continue after their caller's DEVICE_TIMEOUT. */
const MAX_LATE = 16;

interface Fetching {
  readonly opened: PromiseWithResolvers<void>;
  readonly key: Promise<string>;
  joining: number;
  isLate: boolean;
}

/** Fetches files that were left on the network. A lost or too large file is never fetched again. */
export class DeferredMediaLoader {
  readonly #deps: DeferredMediaDeps;
  readonly #owner: Owner;
  readonly #fetching = new Map<string, Fetching>();

  constructor(deps: DeferredMediaDeps, owner: Owner) {
    this.#deps = deps;
    this.#owner = owner;
  }

  /** Fails with NOT_FOUND, OVERLOADED, NOT_CONNECTED, DEVICE_TIMEOUT or UNAVAILABLE (retry). */
  fetch(id: string, connection: Pick<Connection, 'download'> | null): Promise<string> {
    const underWay = this.#fetching.get(id);
    if (underWay ? underWay.joining >= MAX_JOINING : this.#isFull()) return Promise.reject(refusal('OVERLOADED'));
    if (!underWay) return this.#waited(this.#begin(id, connection));
    if (underWay.isLate) return Promise.reject(refusal('DEVICE_TIMEOUT'));
    underWay.joining += 1;
    return this.#waited(underWay);
  }

  #isFull(): boolean {
    const late = [...this.#fetching.values()].filter(({ isLate }) => isLate).length;
    return this.#fetching.size - late >= MAX_CONCURRENT || late >= MAX_LATE;
  }

  #begin(id: string, connection: Pick<Connection, 'download'> | null): Fetching {
    const opened = Promise.withResolvers<void>();
    const key = this.#fetch(id, connection, () => opened.resolve()).finally(() => {
      this.#fetching.delete(id);
      opened.resolve();
    });
    key.catch(() => {});
    const fetching = { opened, key, joining: 0, isLate: false };
    this.#fetching.set(id, fetching);
    return fetching;
  }

  async #waited(fetching: Fetching): Promise<string> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = this.#deps.clock.after(PATIENCE_MS, () => reject(refusal('DEVICE_TIMEOUT')));
    try {
      await Promise.race([fetching.opened.promise, late]);
    } catch (cause) {
      fetching.isLate = true;
      throw cause;
    } finally {
      cancel();
    }
    return fetching.key;
  }

  async #fetch(id: string, connection: Pick<Connection, 'download'> | null, opened: () => void): Promise<string> {
    const row = await this.#deps.deferredMedia.find(this.#owner, id);
    if (row?.media_r2_key) return row.media_r2_key;
    if (!row?.deferred_media) throw refusal('NOT_FOUND');
    try {
      return await this.#store(row, row.deferred_media, connection, opened);
    } catch (cause) {
      throw await this.#failure(row, cause);
    }
  }

  async #store(
    row: MessageRow,
    where: Readonly<Record<string, unknown>>,
    connection: Pick<Connection, 'download'> | null,
    opened: () => void,
  ): Promise<string> {
    const { files, deferredMedia, clock } = this.#deps;
    if (!connection) throw refusal('NOT_CONNECTED');
    if ((row.parts.media?.size ?? 0) > MAX_MEDIA_BYTES) throw tooLarge(MAX_MEDIA_BYTES);
    const incoming = new IncomingFile(() => connection.download(where), clock);
    const open = async (): Promise<Readable> => {
      const bytes = await incoming.open();
      opened();
      return bytes;
    };
    const file = await files.keepInbound(row, open, MAX_MEDIA_BYTES);
    if (await deferredMedia.fetched(this.#owner, row, file._id, { ...row.parts.media, ...factsOf(file) })) return file._id;
    const now = await deferredMedia.find(this.#owner, row._id);
    // Retention or an erasure has removed the message, so the file would never be used.
    await files.dropInbound(now ?? { ...row, status: 'deleted' });
    if (now?.media_r2_key) return now.media_r2_key;
    throw refusal('NOT_FOUND');
  }

  async #failure(row: MessageRow, cause: unknown): Promise<Refusal> {
    if (!(cause instanceof Refusal)) return new Refusal('UNAVAILABLE', {}, { cause });
    const error = GONE[cause.code];
    if (!error) return cause;
    await this.#deps.deferredMedia.gone(this.#owner, row, error);
    return refusal('NOT_FOUND', { reason: error });
  }
}
