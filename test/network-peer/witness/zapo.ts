import { present } from '../../../runtime/invariant.ts';
import type { Peer } from '../peer.ts';

/** The part of the package that is used. The package is loaded when the tests run, so compiling does not need it. */
interface Client {
  on(event: string, heard: (event: unknown) => void): void;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  sendMessage(to: string, content: unknown): Promise<{ readonly id: string }>;
  sendReceipt(receipt: { readonly to: string; readonly id: string; readonly type: string }): Promise<void>;
}

const PACKAGE: string = 'zapo-js';
const PATIENCE_MS = 20_000;
const nothing = (): void => {};
const SILENT = { level: 'error', trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

/** An event as the package reports it. Its fields depend on its name. */
// biome-ignore lint/suspicious/noExplicitAny: whatever another program says
type Told = any;

/** Downloads a file and opens it with zapo's own key derivation for files of this kind. `file` has its names in lower case. */
export async function bytesOfFile(
  { media }: Peer,
  mediaType: string,
  { directpath, mediakey, filesha256, fileencsha256 }: Told,
): Promise<Uint8Array> {
  const { WaMediaTransferClient } = await import(`${PACKAGE}/media`);
  const client = new WaMediaTransferClient({ defaultHosts: [media.name] });
  const sums = { fileSha256: filesha256, fileEncSha256: fileencsha256 };
  return client.downloadAndDecrypt({ directPath: directpath, mediaType, mediaKey: mediakey, ...sums });
}

/**
 * zapo (MIT) as a linked computer in this process. It has its own Noise, Signal and codec, and keeps its state in
 * memory, so it is linked again in each world.
 */
export class Zapo {
  readonly #client: Client;
  readonly #said: { readonly event: string; readonly told: Told }[] = [];
  readonly #waiters = new Set<() => void>();

  private constructor(client: Client) {
    this.#client = client;
    for (const event of ['auth_qr', 'auth_paired', 'connection', 'message', 'message_receipt', 'message_protocol', 'client_error'])
      client.on(event, (told) => {
        this.#said.push({ event, told });
        for (const look of [...this.#waiters]) look();
      });
  }

  /** Links to the phone by QR code and goes online. */
  static async of(peer: Peer, digits: string): Promise<Zapo> {
    const { WaClient, createStore } = await import(PACKAGE);
    let kept: unknown = null;
    const auth = {
      load: async () => kept,
      save: async (credentials: unknown) => {
        kept = credentials;
      },
      clear: async () => {
        kept = null;
      },
    };
    const store = createStore({ backends: { own: { stores: { auth: () => auth }, caches: {} } }, providers: { auth: 'own' } });
    const client: Client = new WaClient(
      {
        store,
        sessionId: digits,
        chatSocketUrls: [peer.url],
        reconnectIntervalMs: 100,
        testHooks: { noiseRootCa: { publicKey: Buffer.from(peer.rootKey, 'hex'), serial: 0 } },
      },
      SILENT,
    );
    const zapo = new Zapo(client);
    await client.connect();
    const { qr } = await zapo.hears('auth_qr');
    await peer.phone(digits).scans(qr);
    await zapo.hears('connection', ({ status, isNewLogin }) => status === 'open' && isNewLogin);
    return zapo;
  }

  /** Resolves with the first past or future event of this name that matches. */
  hears(event: string, isIt: (told: Told) => boolean = () => true): Promise<Told> {
    return new Promise((done, failed) => {
      const look = (): void => {
        const found = this.#said.find((one) => one.event === event && isIt(one.told));
        if (!found) return;
        clearTimeout(timer);
        this.#waiters.delete(look);
        done(found.told);
      };
      const timer = setTimeout(() => {
        this.#waiters.delete(look);
        failed(new Error(`never heard ${event}, only ${this.#said.map((one) => one.event).join(', ')}`));
      }, PATIENCE_MS);
      this.#waiters.add(look);
      look();
    });
  }

  gets(netId: string): Promise<Told> {
    return this.hears('message', ({ stanzaId, message }) => stanzaId === netId && message);
  }

  async sends(to: string, content: unknown): Promise<string> {
    return present((await this.#client.sendMessage(to, content)).id, 'an id');
  }

  reads(to: string, id: string): Promise<void> {
    return this.#client.sendReceipt({ to, id, type: 'read' });
  }

  stop(): Promise<void> {
    return this.#client.disconnect();
  }
}
