import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import type { ConnectionEvent, Network } from '../../actors/network/port.ts';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { createSandbox, type Sandbox } from '../../actors/network/sandbox/sandbox.ts';
import { attachSandboxConnections } from '../../actors/network/sandbox/server.ts';
import { forAtMost, systemClock } from '../../runtime/clock.ts';
import { addressOf } from '../../runtime/listening.ts';
import { boundLine } from '../faults/watched.ts';
import { SENDER_PHONE } from '../wiring/link-sender.ts';
import type { NetworkBeside } from './network-beside.ts';

const STORED_WITHIN_MS = 5_000;

/** A network that can send any event of the network port. The sandbox would refuse most of them. */
export class HostileNetwork implements NetworkBeside {
  readonly linksSender = true;
  readonly sandbox: Sandbox = createSandbox({ clock: systemClock });
  readonly #server: Server;
  readonly #lines = new Map<string, (event: ConnectionEvent) => void>();
  readonly #awaited = new Map<string, () => void>();

  private constructor() {
    const verbs = sandboxVerbs(this.sandbox);
    // The node links the platform's sender itself, through a sandbox endpoint; it also asks for the official platform.
    this.#server = createServer(async (request, response) => {
      if (request.url === '/sandbox/official') return void response.end(JSON.stringify({ graph_url: await verbs.officialUrl() }));
      const body = await json(request).catch(() => null);
      try {
        verbs.scan(SENDER_PHONE, Object(body));
        response.end('{}');
      } catch {
        response.writeHead(409).end('{}');
      }
    });
    attachSandboxConnections(this.#server, { ...this.sandbox, network: () => this.#tapped(this.sandbox.network()) });
  }

  static async start(): Promise<HostileNetwork> {
    const network = new HostileNetwork();
    await new Promise<void>((resolve) => void network.#server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get env(): Readonly<Record<string, string>> {
    return { SANDBOX_URL: `http://127.0.0.1:${addressOf(this.#server).port}` };
  }

  async scan(phone: string, qr: string): Promise<void> {
    this.sandbox.phone(phone).scan({ qr });
  }

  texts(phone: string): readonly string[] {
    return this.sandbox
      .phone(phone)
      .messages(10)
      .flatMap(({ content }) => (content.type === 'text' ? [content.body] : []));
  }

  /** Waits up to 5 s until `token` is acknowledged; does not wait if it is null. */
  async tell(deviceId: string, event: ConnectionEvent, token: string | null): Promise<void> {
    const stored = Promise.withResolvers<void>();
    if (token !== null) this.#awaited.set(token, stored.resolve);
    this.#lines.get(deviceId)?.(event);
    if (token !== null) await forAtMost(systemClock, STORED_WITHIN_MS, stored.promise);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #tapped(network: Network): Network {
    return {
      name: network.name,
      shutdown: () => network.shutdown(),
      open: (order, receive) => {
        this.#lines.set(order.deviceId.slice(0, ULID), receive);
        const line = network.open(order, receive);
        return {
          ...boundLine(line),
          acknowledge: (token) => {
            this.#awaited.get(token)?.();
            this.#awaited.delete(token);
            line.acknowledge(token);
          },
        };
      },
    };
  }
}

const ULID = 26;
