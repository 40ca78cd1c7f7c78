import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { plansFrom } from '../../../actors/domain/plans.ts';
import type { Limits } from '../../../http/limits/limits.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { contactsIn } from '../../../store/contacts/contacts.ts';
import type { Store } from '../../../store/port.ts';
import { readConfig } from '../../wiring/config.ts';
import { startNode } from '../../wiring/node.ts';
import { contactOf, somebody } from '../contacts/rows.ts';
import { aDevice, anApiKey, aTenant, PLENTY } from '../planted.ts';

/** One tenant, as it calls the node. */
export interface Customer {
  /** `/v1/sessions/{id}` of its device, which is online by its row only. */
  readonly device: string;
  call(method: string, path: string, body?: string | Uint8Array<ArrayBuffer> | object, type?: string): Promise<CustomerAnswer>;
}

export interface CustomerAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape; the pools know theirs
  readonly body: any;
}

/** A node over a store, two of its tenants, and a host of files that takes its time. */
export interface World {
  readonly flooding: Customer;
  readonly quiet: Customer;
  /** As much as the flooding tenant sends in one call. */
  readonly many: number;
  /** The address of a small file that comes after `ms`. */
  fileAfter(ms: number): string;
  close(): Promise<void>;
}

export interface WorldParts {
  /** Closed by whoever opened it. */
  readonly store: Store;
  readonly directory: string;
  /** Of each tenant. */
  readonly contacts: number;
  readonly many: number;
}

/** The shares of pools are in question, not how many calls a minute somebody has. */
const NO_LIMITS: Limits = {
  take: (_key, limit) => ({ ok: true, limit, remaining: limit, resetMs: 60_000 }),
  takeAll: (windows) => windows.map(({ max: limit, windowMs }) => ({ ok: true, limit, remaining: limit, resetMs: windowMs })),
};
const RICH = {
  ...{ devices: PLENTY, messages: PLENTY, send_per_minute: PLENTY, key_cap: PLENTY, stores: 0, ai_replies: 0 },
  ...{ media_bytes: PLENTY, open_drafts: PLENTY, draft_recipients: PLENTY },
};
const CONTACTS_TOGETHER = 500;
const NO_TAGS = { tag: (name: string): string => name, city: 'city' };

export async function openWorld({ store, directory, contacts, many }: WorldParts): Promise<World> {
  const files = createServer((request, response) => {
    const ms = Number(request.url?.slice(1));
    systemClock.after(ms, () => response.writeHead(200, { 'content-type': 'text/plain' }).end('a file'));
  });
  files.listen(0, '127.0.0.1');
  await once(files, 'listening');
  const place = `127.0.0.1:${(files.address() as AddressInfo).port}`;
  const config = {
    ...readConfig({}, 'no file'),
    ...{ port: 0, data_dir: directory, queue_limit: PLENTY, egress_allow: [place], plans: plansFrom({ bench: RICH }) },
  };
  const node = await startNode(config, { store, limits: NO_LIMITS, log: pino({ level: 'silent' }) });
  return {
    many,
    flooding: await aCustomer(store, node.url, contacts, '6281100000011'),
    quiet: await aCustomer(store, node.url, contacts, '6281100000012'),
    fileAfter: (ms) => `http://${place}/${ms}`,
    async close() {
      await node.stop();
      files.closeAllConnections();
      files.close();
    },
  };
}

async function aCustomer(store: Store, url: string, contacts: number, phone: string): Promise<Customer> {
  const { _id } = await aTenant(store, phone);
  const authorization = `Bearer ${await anApiKey(store, _id)}`;
  const device = await aDevice(store, _id);
  for (let from = 0; from < contacts; from += CONTACTS_TOGETHER) {
    const some = Array.from({ length: CONTACTS_TOGETHER }, (_, nth) => contactOf(_id, somebody(from + nth), NO_TAGS, 1));
    await contactsIn(store).addMany(some);
  }
  return {
    device: `/v1/sessions/${device._id}`,
    async call(method, path, body, type = 'application/json') {
      const isRaw = typeof body === 'string' || body instanceof Uint8Array;
      const sent = body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) };
      const headers = { authorization, ...(body !== undefined && { 'content-type': type }) };
      const answer = await fetch(`${url}${path}`, { method, headers, ...sent });
      const text = await answer.text();
      return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
    },
  };
}
