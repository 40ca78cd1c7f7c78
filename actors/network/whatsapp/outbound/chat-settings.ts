import { Refusal } from '../../../../runtime/errors.ts';
import { networkRefusal } from '../../network-refusal.ts';
import type { ConnectionEvent } from '../../port.ts';
import type { Library, proto } from '../library.ts';

type Write = (netId: string, chat: string, composing: () => { readonly message: proto.IMessage }) => void;

interface Pending {
  resolve(): void;
  reject(cause: Refusal): void;
}

const CONFLICT = 409;

/** Changes chat settings. Handles the acks of these changes itself, so that the device never gets them. */
export class ChatSettings {
  readonly #library: Library;
  readonly #pending = new Map<string, Pending>();
  #write: Write | null = null;

  constructor(library: Library) {
    this.#library = library;
  }

  writeWith(write: Write): void {
    this.#write = write;
  }

  set(chat: string, message: proto.IMessage): Promise<void> {
    if (!this.#write) return Promise.reject(new Refusal('NOT_CONNECTED'));
    const netId = this.#library.generateMessageIDV2();
    const { promise, ...pending } = Promise.withResolvers<void>();
    this.#pending.set(netId, pending);
    this.#write(netId, chat, () => ({ message }));
    return promise;
  }

  heard(event: ConnectionEvent): boolean {
    if (event.type !== 'acked' && event.type !== 'refused' && event.type !== 'unwritten') return false;
    const pending = this.#pending.get(event.netId);
    if (!pending) return false;
    this.#pending.delete(event.netId);
    if (event.type === 'acked') pending.resolve();
    else pending.reject(event.type === 'refused' ? networkRefusal(CONFLICT) : new Refusal('NOT_CONNECTED'));
    return true;
  }

  end(): void {
    this.#write = null;
    for (const { reject } of this.#pending.values()) reject(new Refusal('NOT_CONNECTED'));
    this.#pending.clear();
  }
}
