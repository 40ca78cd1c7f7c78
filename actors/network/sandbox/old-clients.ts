import { Refusal } from '../../../runtime/errors.ts';
import { CLOSED, type Connection, type ConnectionEvent, tokenOf } from '../port.ts';
import type { LinkedDevice } from './devices.ts';
import { loginLines } from './moved-login.ts';
import type { SandboxDeps } from './sandbox-deps.ts';
import type { Switchboard } from './switchboard.ts';

const MAX_DEVICES = 4;
/** Delay before an older program reconnects after another login took its place. */
const BACK_AFTER_MS = 2_000;

interface OldClient {
  readonly device: LinkedDevice;
  connection: Connection | null;
  online: boolean;
}

/** Programs that used a login before it was moved to the gateway, and that may keep running. */
export class OldClients {
  readonly #deps: Pick<SandboxDeps, 'clock' | 'devices'>;
  readonly #switchboard: Pick<Switchboard, 'open'>;
  readonly #clients = new Map<string, OldClient>();

  constructor(deps: Pick<SandboxDeps, 'clock' | 'devices'>, switchboard: Pick<Switchboard, 'open'>) {
    this.#deps = deps;
    this.#switchboard = switchboard;
  }

  login(phone: string): string {
    return loginLines(this.#of(phone).device);
  }

  set(phone: string, online: boolean): boolean {
    const client = this.#of(phone);
    client.online = online;
    if (online && !client.connection) this.#open(client);
    if (!online) client.connection?.close();
    return online;
  }

  #of(phone: string): OldClient {
    const known = this.#clients.get(phone);
    const { devices } = this.#deps;
    if (known && devices.of(phone).includes(known.device)) return known;
    if (devices.of(phone).length >= MAX_DEVICES)
      throw new Refusal('CONFLICT', { reason: 'the phone already has the maximum number of linked devices' });
    const client: OldClient = { device: devices.link(phone), connection: null, online: false };
    this.#clients.set(phone, client);
    return client;
  }

  #open(client: OldClient): void {
    const order = { deviceId: `old-client-${client.device.phone}`, credentials: client.device.credentials(), proxyUrl: null };
    client.connection = this.#switchboard.open(order, (event) => this.#receive(client, event));
  }

  #receive(client: OldClient, event: ConnectionEvent): void {
    if ('token' in event || 'message' in event) return client.connection?.acknowledge(tokenOf(event));
    if (event.type !== 'closed') return;
    client.connection = null;
    if (event.code === CLOSED.loggedOut) client.online = false;
    this.#deps.clock.after(BACK_AFTER_MS, () => {
      if (client.online && !client.connection) this.#open(client);
    });
  }
}
