import type { Logger } from 'pino';
import type { Clock } from '../../../runtime/clock.ts';
import { Recent } from '../../../runtime/recent.ts';
import type { Dial } from '../../egress/dial.ts';
import type { Line, LineEvent, Network, OpenOrder } from '../port.ts';
import { type Account, newAccount } from './account.ts';
import { type Library, loadLibrary, trustRoot } from './library.ts';
import { WhatsAppLine } from './line.ts';

export interface WhatsAppOptions {
  /** Another WebSocket address than the network's own, for a peer of tests. */
  readonly url: string | null;
  /** The root key (hex) of that peer's certificates. */
  readonly rootKey: string | null;
  /** How many messages of each chat are taken over when a phone links a device; 0: none. */
  readonly history?: number;
  /** How the proxies of devices are reached. */
  readonly dial: Dial;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Devices whose small memories are kept after their sockets ended. */
const REMEMBERED = 2_000;

/** The driver for the real network. */
export function createWhatsApp(options: WhatsAppOptions): Network {
  return new WhatsApp(options);
}

class WhatsApp implements Network {
  readonly name = 'whatsapp';
  readonly #options: WhatsAppOptions;
  readonly #accounts = new Recent<string, Account>(REMEMBERED);
  readonly #lines = new Set<WhatsAppLine>();
  #shut: () => void = () => {};

  constructor(options: WhatsAppOptions) {
    this.#options = options;
  }

  open(order: OpenOrder, hear: (event: LineEvent) => void): Line {
    const { url, dial, history = 0, clock, log } = this.#options;
    const account = this.#accountOf(order);
    const ended = (line: WhatsAppLine): void => {
      this.#lines.delete(line);
      if (this.#lines.size === 0) this.#shut();
    };
    const line = new WhatsAppLine(order, hear, { library: () => this.#library(), url, dial, history, account, clock, log, ended });
    this.#lines.add(line);
    return line;
  }

  async shutdown(): Promise<void> {
    if (this.#lines.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#shut = resolve;
    for (const line of [...this.#lines]) void line.finish();
    await promise;
  }

  /** A device that is linked anew starts without what it remembered of its last phone. */
  #accountOf({ deviceId, credentials }: OpenOrder): Account {
    const known = credentials === null ? undefined : this.#accounts.get(deviceId);
    const account = known ?? newAccount();
    this.#accounts.set(deviceId, account);
    return account;
  }

  async #library(): Promise<Library> {
    const library = await loadLibrary();
    if (this.#options.rootKey !== null) trustRoot(library, this.#options.rootKey);
    return library;
  }
}
