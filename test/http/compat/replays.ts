import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { OtherGateway } from '../../../actors/domain/other-gateways.ts';
import { memberOf } from '../../../runtime/shapes.ts';
import { aReceiver } from '../../actors/services/webhooks/receiver.ts';
import { ANNA, type Api, aGateway, calling, type Gateway, PHONE, type Tenant } from '../../support/gateway.ts';
import { embedded, type Scope } from '../../support/stores.ts';

interface Recorded {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const file = (name: string): string => readFileSync(new URL(`${name}-requests.json`, import.meta.url), 'utf8');

/** The recorded requests of a program, with its words in capitals filled in. */
export function recorded(name: OtherGateway, words: Readonly<Record<string, string>>): readonly Recorded[] {
  const filled = Object.entries(words).reduce((text, [word, value]) => text.replaceAll(word, value), file(name));
  return JSON.parse(filled).requests;
}

/** The first page of an Ogg file with Opus in it. */
export const VOICE = Buffer.concat([
  Buffer.from('OggS\0\x02'),
  Buffer.alloc(20),
  Buffer.from('\x01\x13OpusHead\x01\x01'),
  Buffer.alloc(9),
]).toString('base64');

/** A business with a linked device named `shop`, a key, and two messages of a customer: a text and a picture. */
export async function aDoor(t: Scope, door: OtherGateway, header: string) {
  const receiver = await aReceiver(t);
  const config = { compat: [door], egress_allow: [receiver.place], base_url: 'https://gateway.example.com' };
  const gateway = await aGateway(t, { kind: embedded, config });
  const tenant = await gateway.signUp();
  const device = await tenant.linked(PHONE);
  await tenant.api('PATCH', device.path, { name: 'shop' });
  const keyed = await withKey(gateway, tenant, door, header);
  gateway.sandbox.phone(ANNA).write({ to: PHONE, content: { type: 'text', body: 'Are you open?' }, quotes: null });
  const received = await gateway.until('the question is in the log', async () => {
    const { messages } = (await tenant.api('GET', `${device.path}/messages?direction=inbound`)).body;
    return messages[0] && device.message(messages[0].id);
  });
  return { gateway, tenant, device, ...keyed, received, receiver };
}

/** A key of the tenant as a caller of a door. */
export async function withKey({ node }: Gateway, { api }: Tenant, door: OtherGateway, header: string, fields: object = {}) {
  const { key } = (await api('POST', '/v1/api-keys', { name: 'Flows', ...fields })).body;
  return { key: String(key), call: calling(`${node.url}/compat/${door}`, { [header]: String(key) }) };
}

/** Sends a recorded request as it was recorded. */
export const replay = (call: Api, { method, path, body, headers }: Recorded) =>
  call(method, path, body, Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])));

/** The answer has at least these members. */
export function holds(answer: unknown, wanted: unknown, where: string): void {
  if (typeof wanted !== 'object' || wanted === null) return assert.equal(answer, wanted, where);
  for (const [name, one] of Object.entries(wanted)) holds(memberOf(answer, name), one, `${where}.${name}`);
}
