import type { Logger } from 'pino';
import type { Clock } from '../../../runtime/clock.ts';
import type { Connect } from '../../../runtime/egress/guarded-connect.ts';
import type { Connection, ConnectionEvent, CredentialStore, Network, OpenOrder } from '../port.ts';
import type { CatalogClient } from './catalog/catalog-client.ts';
import { type Account, newAccount } from './keys/account.ts';
import { type Library, loadLibrary, trustRoot } from './library.ts';
import { type Mex, type MexName, type MexTable, mexTable } from './mex/mex-table.ts';
import { WhatsAppConnection } from './session/connection.ts';

export interface WhatsAppOptions {
  /** A test peer's WebSocket address; null for the network's own. */
  readonly url: string | null;
  readonly rootKey: string | null;
  /** Query ids to try before our own (mex/mex-table.ts). */
  readonly mexIds?: Partial<MexTable>;
  readonly onUnknownQuery?: (name: MexName) => void;
  readonly catalog?: CatalogClient | null;
  readonly dial: Connect;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createWhatsApp(options: WhatsAppOptions): Network {
  return new WhatsApp(options);
}

class WhatsApp implements Network {
  readonly name = 'whatsapp';
  readonly #options: WhatsAppOptions;
  /** Account state in memory. A new owner starts without it, because another node may have changed it. */
  readonly #accounts = new WeakMap<CredentialStore, { readonly account: Account; readonly moved: unknown }>();
  readonly #connections = new Set<WhatsAppConnection>();
  readonly #mex: Mex;
  #shut: () => void = () => {};

  constructor(options: WhatsAppOptions) {
    this.#options = options;
    this.#mex = { ids: mexTable(options.mexIds), unknown: (name) => this.#unknown(name) };
  }

  open(order: OpenOrder, receive: (event: ConnectionEvent) => void): Connection {
    const { url, dial, catalog = null, clock, log } = this.#options;
    const account = this.#accountOf(order);
    const ended = (connection: WhatsAppConnection): void => {
      this.#connections.delete(connection);
      if (this.#connections.size === 0) this.#shut();
    };
    const connection = new WhatsAppConnection(order, receive, {
      library: () => this.#library(),
      url,
      dial,
      account,
      mex: this.#mex,
      catalog,
      clock,
      log,
      ended,
    });
    this.#connections.add(connection);
    return connection;
  }

  async shutdown(): Promise<void> {
    if (this.#connections.size > 0) await this.#finished();
    await this.#options.catalog?.close();
  }

  async #finished(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#shut = resolve;
    for (const connection of [...this.#connections]) void connection.finish();
    await promise;
  }

  #unknown(question: MexName): void {
    const { log, onUnknownQuery } = this.#options;
    log.warn({ event: 'network.mex_unknown_query', question }, 'the network does not recognize the id of a stored query');
    onUnknownQuery?.(question);
  }

  #accountOf({ credentials, credentialStore }: OpenOrder): Account {
    const moved = credentials?.['moved'];
    const known = credentials && credentialStore && this.#accounts.get(credentialStore);
    const account = known && known.moved === moved ? known.account : newAccount(this.#options.clock);
    if (credentialStore) this.#accounts.set(credentialStore, { account, moved });
    return account;
  }

  async #library(): Promise<Library> {
    const library = await loadLibrary();
    if (this.#options.rootKey !== null) trustRoot(library, this.#options.rootKey);
    return library;
  }
}
