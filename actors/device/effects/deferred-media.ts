import { Refusal } from '../../../runtime/errors.ts';
import type { DeferredMedia } from '../../../store/messaging/deferred-media.ts';
import type { MessageRow, Owner } from '../../../store/messaging/messages.ts';
import { refusal, tooLarge } from '../../domain/refusals.ts';
import type { Connection } from '../../network/port.ts';
import type { DeviceFiles } from '../../services/media/device-files.ts';
import { MAX_MEDIA_BYTES } from '../../services/media/library.ts';
import { factsOf, GONE } from './inbound-messages.ts';

export interface DeferredMediaDeps {
  readonly deferredMedia: DeferredMedia;
  readonly files: DeviceFiles;
}

/** Of one device: each may be as large as 25 MB. */
const MAX_CONCURRENT = 4;
/** Of one file, beside the one that asked first. */
const MAX_JOINING = 16;

interface Fetching {
  readonly key: Promise<string>;
  joining: number;
}

/**
 * Fetches files that were left on the network, those of a history and those that could not be had, when somebody asks for them. What the network has no more, or is larger than an
 * upload may be, is noted in the message's `error` and never asked for again.
 */
export class DeferredMediaLoader {
  readonly #deps: DeferredMediaDeps;
  readonly #owner: Owner;
  readonly #fetching = new Map<string, Fetching>();

  constructor(deps: DeferredMediaDeps, owner: Owner) {
    this.#deps = deps;
    this.#owner = owner;
  }

  /** The key of the stored file of this message. Refuses NOT_FOUND, OVERLOADED, NOT_CONNECTED and, when another try may help, UNAVAILABLE. */
  fetch(id: string, connection: Pick<Connection, 'download'> | null): Promise<string> {
    const underWay = this.#fetching.get(id);
    if (underWay ? underWay.joining >= MAX_JOINING : this.#fetching.size >= MAX_CONCURRENT) return Promise.reject(refusal('OVERLOADED'));
    if (underWay) {
      underWay.joining += 1;
      return underWay.key;
    }
    const key = this.#fetch(id, connection).finally(() => this.#fetching.delete(id));
    this.#fetching.set(id, { key, joining: 0 });
    return key;
  }

  async #fetch(id: string, connection: Pick<Connection, 'download'> | null): Promise<string> {
    const row = await this.#deps.deferredMedia.find(this.#owner, id);
    if (row?.media_r2_key) return row.media_r2_key;
    if (!row?.deferred_media) throw refusal('NOT_FOUND');
    try {
      return await this.#store(row, row.deferred_media, connection);
    } catch (cause) {
      throw await this.#failure(row, cause);
    }
  }

  async #store(
    row: MessageRow,
    where: Readonly<Record<string, unknown>>,
    connection: Pick<Connection, 'download'> | null,
  ): Promise<string> {
    const { files, deferredMedia } = this.#deps;
    if (!connection) throw refusal('NOT_CONNECTED');
    if ((row.parts.media?.size ?? 0) > MAX_MEDIA_BYTES) throw tooLarge(MAX_MEDIA_BYTES);
    const file = await files.keepInbound(row, () => connection.download(where), MAX_MEDIA_BYTES);
    if (await deferredMedia.fetched(this.#owner, row, file._id, { ...row.parts.media, ...factsOf(file) })) return file._id;
    const now = await deferredMedia.find(this.#owner, row._id);
    // Its message was removed, as by a period or an erasure: nothing would name the file.
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
