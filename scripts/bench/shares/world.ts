import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { plansFrom } from '../../../actors/domain/plans.ts';
import type { Limits } from '../../../http/limits/limits.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { newId } from '../../../runtime/ids.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import { contactsIn } from '../../../store/contacts/contacts.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MessageRow } from '../../../store/messaging/message-row.ts';
import { messagesSpec } from '../../../store/messaging/messages.ts';
import { newMessage } from '../../../store/messaging/new-message.ts';
import type { Store } from '../../../store/port.ts';
import { readConfig } from '../../wiring/config.ts';
import { startNode } from '../../wiring/node.ts';
import { contactOf, somebody } from '../contacts/rows.ts';
import { aDevice, anApiKey, aTenant, PLENTY } from '../planted.ts';
import type { Access, Scene } from './customer.ts';

export interface World {
  readonly flooding: Access;
  readonly quiet: Access;
  readonly scene: Scene;
  close(): Promise<void>;
}

export interface WorldParts {
  readonly store: Store;
  readonly directory: string;
  readonly contacts: number;
  readonly messages: number;
  readonly many: number;
}

const NO_LIMITS: Limits = {
  take: (_key, limit) => ({ ok: true, limit, remaining: limit, resetMs: 60_000 }),
  takeAll: (windows) => windows.map(({ max: limit, windowMs }) => ({ ok: true, limit, remaining: limit, resetMs: windowMs })),
};
const RICH = {
  ...{ devices: PLENTY, messages: PLENTY, send_per_minute: PLENTY, key_cap: PLENTY, stores: 0, ai_replies: 0 },
  ...{ media_bytes: PLENTY, open_drafts: PLENTY, draft_recipients: PLENTY },
};
const STORED_TOGETHER = 500;
const NO_TAGS = { tag: (name: string): string => name, city: 'city' };

export async function openWorld({ store, directory, many, ...planted }: WorldParts): Promise<World> {
  const files = createServer((request, response) => {
    const ms = Number(request.url?.slice(1));
    if (Number.isFinite(ms)) systemClock.after(ms, () => response.writeHead(200, { 'content-type': 'text/plain' }).end('a file'));
  });
  files.listen(0, '127.0.0.1');
  await once(files, 'listening');
  const place = `127.0.0.1:${(files.address() as AddressInfo).port}`;
  const config = {
    ...readConfig({}, 'no file'),
    ...{ port: 0, data_dir: directory, queue_limit: PLENTY, egress_allow_reads: [place], plans: plansFrom({ bench: RICH }) },
  };
  const node = await startNode(config, { store, limits: NO_LIMITS, log: pino({ level: 'silent' }) });
  return {
    scene: { many, files: `http://${place}` },
    flooding: await aCustomer(store, node.url, planted, '6281100000011'),
    quiet: await aCustomer(store, node.url, planted, '6281100000012'),
    async close() {
      await node.stop();
      files.closeAllConnections();
      files.close();
    },
  };
}

async function aCustomer(
  store: Store,
  url: string,
  { contacts, messages }: Pick<WorldParts, 'contacts' | 'messages'>,
  phone: string,
): Promise<Access> {
  const { _id } = await aTenant(store, phone);
  const authorization = `Bearer ${await anApiKey(store, _id)}`;
  const device = await aDevice(store, _id);
  for (let from = 0; from < contacts; from += STORED_TOGETHER) {
    const some = Array.from({ length: STORED_TOGETHER }, (_, nth) => contactOf(_id, somebody(from + nth), NO_TAGS, 1));
    await contactsIn(store).addMany(some);
  }
  const log = store.collection<MessageRow>(messagesSpec);
  for (let from = 0; from < messages; from += STORED_TOGETHER)
    await log.insertMany(Array.from({ length: STORED_TOGETHER }, (_, nth) => received(device, from + nth)));
  return { url, authorization, device: `/v1/sessions/${device._id}` };
}

function received({ tenant_id, _id: session_id }: DeviceRow, nth: number): MessageRow {
  const created_at = systemClock.now() - nth * 1_000;
  const net_id = newId(created_at);
  const chat_id = `${somebody(nth).phone}@s.whatsapp.net`;
  return newMessage({
    ...{ _id: net_id, tenant_id, session_id, net_id, created_at, chat_id, sender: chat_id, sender_name: 'Anna' },
    ...{
      direction: 'inbound',
      message_type: 'text',
      body: safeText(`Is number ${nth} still open?`),
      status: 'delivered',
      outbox_pending: false,
    },
  });
}
