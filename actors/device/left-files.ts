import { Refusal } from '../../runtime/errors.ts';
import type { LeftFiles } from '../../store/left-files.ts';
import type { MessageRow, Owner } from '../../store/messages.ts';
import { MAX_MEDIA_BYTES } from '../media/library.ts';
import type { Line } from '../network/port.ts';
import { refusal } from '../refusals.ts';
import type { DeviceFiles } from './files.ts';
import { factsOf, GONE } from './inbound.ts';

export interface LeftFilePorts {
  readonly leftFiles: LeftFiles;
  readonly files: DeviceFiles;
}

/** Of one device: each may be as large as 25 MB. */
const MOST_AT_ONCE = 4;

/**
 * Fetches files that were left on the network, those of a history and those that could not be had, when somebody asks for them. What the network has no more, or is larger than an
 * upload may be, is noted in the message's `error` and never asked for again.
 */
export class LeftFilesOf {
  readonly #ports: LeftFilePorts;
  readonly #owner: Owner;
  readonly #fetching = new Map<string, Promise<string>>();

  constructor(ports: LeftFilePorts, owner: Owner) {
    this.#ports = ports;
    this.#owner = owner;
  }

  /** The key of the stored file of this message. Refuses NOT_FOUND, OVERLOADED, NOT_CONNECTED and, when another try may help, UNAVAILABLE. */
  fetch(id: string, line: Line | null): Promise<string> {
    const under_way = this.#fetching.get(id);
    if (under_way) return under_way;
    if (this.#fetching.size >= MOST_AT_ONCE) return Promise.reject(refusal('OVERLOADED'));
    const fetched = this.#fetch(id, line).finally(() => this.#fetching.delete(id));
    this.#fetching.set(id, fetched);
    return fetched;
  }

  async #fetch(id: string, line: Line | null): Promise<string> {
    const row = await this.#ports.leftFiles.find(this.#owner, id);
    if (row?.media_r2_key) return row.media_r2_key;
    if (!row?.left_file) throw refusal('NOT_FOUND');
    try {
      return await this.#store(row, row.left_file, line);
    } catch (cause) {
      throw await this.#failure(row, cause);
    }
  }

  async #store(row: MessageRow, where: Readonly<Record<string, unknown>>, line: Line | null): Promise<string> {
    const { files, leftFiles } = this.#ports;
    if (!line) throw refusal('NOT_CONNECTED');
    if ((row.parts.media?.size ?? 0) > MAX_MEDIA_BYTES) throw refusal('PAYLOAD_TOO_LARGE');
    const file = await files.keepInbound(row, () => line.download(where), MAX_MEDIA_BYTES);
    if (await leftFiles.fetched(this.#owner, row, file._id, { ...row.parts.media, ...factsOf(file) })) return file._id;
    const now = await leftFiles.find(this.#owner, row._id);
    if (now) await files.dropInbound(now);
    if (now?.media_r2_key) return now.media_r2_key;
    throw refusal('NOT_FOUND');
  }

  async #failure(row: MessageRow, cause: unknown): Promise<Refusal> {
    if (!(cause instanceof Refusal)) return new Refusal('UNAVAILABLE', {}, { cause });
    const error = GONE[cause.code];
    if (!error) return cause;
    await this.#ports.leftFiles.gone(this.#owner, row, error);
    return refusal('NOT_FOUND', { reason: error });
  }
}
