import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../actors/domain/plans.ts';
import type { Connection, ConnectionEvent, Network, OpenOrder } from '../../actors/network/port.ts';
import { aGateway, type Gateway, type Tenant } from '../support/gateway.ts';
import { NEVER_FULL } from '../support/limits.ts';
import { eachStore } from '../support/stores.ts';

/** `DEVICES=300` for the whole claim. */
const DEVICES = Number(process.env['DEVICES'] ?? 60);
const LOGINS_PER_SECOND = 10;
const MAX_CONCURRENT = 25;
const numbers = Array.from({ length: DEVICES }, (_, i) => `62811${1_000_000 + i}`);

/** When each login was begun, who is online, and how many logins of one device were ever open at a time. */
class Logins {
  readonly begun: { readonly deviceId: string; readonly at: number }[] = [];
  most = 0;
  readonly online = new Set<string>();
  readonly #open = new Map<string, number>();

  over(network: Network, now: () => number): Network {
    const open = (order: OpenOrder, receive: (event: ConnectionEvent) => void): Connection => {
      this.#count(order.deviceId, 1);
      this.begun.push({ deviceId: order.deviceId, at: now() });
      return network.open(order, (event) => {
        if (event.type === 'opened') this.online.add(order.deviceId);
        if (event.type === 'closed') {
          this.online.delete(order.deviceId);
          this.#count(order.deviceId, -1);
        }
        receive(event);
      });
    };
    return { ...network, name: network.name, shutdown: () => network.shutdown(), open };
  }

  #count(deviceId: string, change: number): void {
    const now = (this.#open.get(deviceId) ?? 0) + change;
    this.#open.set(deviceId, now);
    this.most = Math.max(this.most, now);
  }
}

async function inBatches(work: (digits: string) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < DEVICES; at += MAX_CONCURRENT) await Promise.all(numbers.slice(at, at + MAX_CONCURRENT).map(work));
}

async function linkAll(gateway: Gateway, { api }: Tenant): Promise<void> {
  const paths = new Map<string, string>();
  await inBatches(async (digits) => {
    const path = `/v1/sessions/${(await api('POST', '/v1/sessions', {})).body.id}`;
    paths.set(digits, path);
    assert.equal((await api('POST', `${path}/connect`)).status, 202);
  });
  for (const digits of numbers) {
    const qr = await gateway.until('a code to scan', async () => (await api('GET', `${paths.get(digits)}/qr`)).body.qr);
    gateway.sandbox.phone(digits).scan({ qr });
  }
}

eachStore('devices that all lose their connection at once', (kind) => {
  it('reconnect within the login limit, and never log in twice at the same time', async (t) => {
    const logins = new Logins();
    let now = (): number => 0;
    const gateway = await aGateway(t, {
      kind,
      limits: NEVER_FULL,
      config: { logins_per_second: LOGINS_PER_SECOND, plans: plansFrom({ free: { devices: DEVICES } }) },
      network: (sandbox) => logins.over(sandbox.network(), () => now()),
    });
    now = () => gateway.clock.monotonic();
    const acme = await gateway.signUp();
    await linkAll(gateway, acme);
    // And the platform's own.
    const areOnline = (): boolean => logins.online.size === DEVICES + 1;
    await gateway.until('all are online', areOnline);

    logins.begun.length = 0;
    for (const digits of numbers) gateway.sandbox.device(digits).fault({ kind: 'drop' });
    await gateway.until('all are offline', () => logins.online.size < DEVICES / 2 || logins.begun.length > 0);
    await gateway.until('all are back', areOnline);

    assert.equal(logins.most, 1);
    assert.equal(new Set(logins.begun.map(({ deviceId }) => deviceId)).size, DEVICES);
    const inASecond = logins.begun.map(({ at }) => logins.begun.filter((other) => other.at >= at && other.at < at + 1_000).length);
    assert.ok(Math.max(...inASecond) <= LOGINS_PER_SECOND + 1, `${Math.max(...inASecond)} logins in a second`);
  });
});
