import { codeOn } from '../support/one-time-code.ts';
import { ADMIN, type Answer, type RunningNode, type World } from './world.ts';

export interface SimDevice {
  readonly id: string;
  readonly path: string;
  readonly phone: string;
  /** Set for a number on the official platform, which sends this template with the text as its only value. */
  readonly template: string | null;
}

/** Returns the text that a person receives if this device sends `text`. */
export const shownBy = ({ template }: SimDevice, text: string): string => (template === null ? text : `Toko: ${text}.`);

export const contentOf = ({ template }: SimDevice, text: string): object =>
  template === null ? { body: text } : { template_id: template, variables: { '1': text } };

/** A business with online devices, and the people it writes to. */
export interface SimTenant {
  readonly id: string;
  readonly name: string;
  /** Credentials of its programs. */
  readonly headers: Readonly<Record<string, string>>;
  readonly devices: readonly SimDevice[];
  readonly people: readonly string[];
  readonly hook: string;
}

const EVENTS = ['message.received', 'message.sent', 'message.failed', 'message.delivered', 'consent.changed'];
const LOOKS = 400;

/**
 * Sets up the world without faults: the platform's sender, and two tenants with two devices each, created through the
 * API as users do.
 */
export async function setUp(world: World, hasOfficial: boolean): Promise<readonly SimTenant[]> {
  const first = world.running()[0]!;
  const ask = asker(world, first);
  await linkSender(world, ask);
  const tenants: SimTenant[] = [];
  for (let nth = 0; nth < 2; nth += 1) tenants.push(await aTenant(world, ask, nth, hasOfficial));
  for (const { id, name, devices } of tenants) {
    world.history.names.set(id, name);
    for (const [nth, device] of devices.entries()) world.history.names.set(device.id, `${name}.device${nth}`);
  }
  return tenants;
}

type Ask = (method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

function asker(world: World, at: RunningNode): Ask {
  return async (method, path, body, headers = {}) => {
    const answer = await world.during(world.call(at, { method, path, body, headers }));
    if (answer.status >= 300) throw new Error(`setting up: ${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  };
}

async function linkSender(world: World, ask: Ask): Promise<void> {
  const operator = { 'x-admin-secret': ADMIN };
  await ask('POST', '/v1/admin/sender/connect', undefined, operator);
  const state = async () => (await ask('GET', '/v1/admin/sender', undefined, operator)).body;
  const qr = await until(world, 'a code of the sender', async () => (await state()).qr);
  world.sandbox.phone('12025550100').scan({ qr });
  await until(world, 'the sender online', async () => (await state()).status === 'connected');
}

async function aTenant(world: World, ask: Ask, nth: number, hasOfficial: boolean): Promise<SimTenant> {
  const owner = `62811000${9000 + nth}0`;
  await ask('POST', '/auth/register', { name: `Toko ${nth}`, phone: `+${owner}` });
  const code = await until(world, 'a code', async () => codeOn(world.sandbox, owner));
  const { token } = (await ask('POST', '/auth/verify-otp', { phone: owner, code })).body;
  const bearer = { authorization: `Bearer ${token}` };
  const { tenant_id: id } = (await ask('GET', '/v1/me', undefined, bearer)).body;
  const { key } = (await ask('POST', '/v1/api-keys', { name: 'all', scopes: ['read', 'send', 'manage'] }, bearer)).body;
  await ask('PUT', '/v1/settings', { pacing: { min_delay_ms: 0, max_delay_ms: 0 }, send_window: { enabled: false } }, bearer);
  const hook = `https://hooks.example/${nth}`;
  await ask('POST', '/v1/webhooks', { url: hook, secret: 'x'.repeat(40), events: EVENTS }, bearer);
  const devices: SimDevice[] = [];
  for (let d = 0; d < 2; d += 1) {
    const phone = `6281300000${nth}${d}`;
    devices.push(d === 1 && hasOfficial ? await anOfficial(world, ask, bearer, phone) : await aDevice(world, ask, bearer, phone));
  }
  const people = Array.from({ length: 6 }, (_, p) => `62812111${nth}0${String(p).padStart(3, '0')}`);
  return { id, name: `toko${nth}`, headers: { authorization: `Bearer ${key}` }, devices, people, hook };
}

async function aDevice(world: World, ask: Ask, bearer: Readonly<Record<string, string>>, phone: string): Promise<SimDevice> {
  const { id } = (await ask('POST', '/v1/sessions', {}, bearer)).body;
  const path = `/v1/sessions/${id}`;
  await ask('POST', `${path}/connect`, undefined, bearer);
  const qr = await until(world, 'a code to scan', async () => (await ask('GET', `${path}/qr`, undefined, bearer)).body.qr);
  world.sandbox.phone(phone).scan({ qr });
  await until(world, 'the device online', async () => (await ask('GET', path, undefined, bearer)).body.status === 'connected');
  return { id, path, phone, template: null };
}

async function anOfficial(world: World, ask: Ask, bearer: Readonly<Record<string, string>>, phone: string): Promise<SimDevice> {
  const official = world.sandbox.official.create({ phone_number: phone });
  const { id } = (await ask('POST', '/v1/sessions', { official }, bearer)).body;
  const path = `/v1/sessions/${id}`;
  await ask('POST', `${path}/connect`, undefined, bearer);
  await until(world, 'the number online', async () => (await ask('GET', path, undefined, bearer)).body.status === 'connected');
  const components = [{ type: 'BODY', text: 'Toko: {{1}}.', example: { body_text: [['a text']] } }];
  const submitted = { session_id: id, name: 'note', language: 'id', category: 'utility', components };
  const { id: template } = (await ask('POST', '/v1/templates', { official: submitted }, bearer)).body;
  world.sandbox.official.change(official.phone_number_id, { templates: { 'note:id': 'approved' } });
  const status = async () => (await ask('GET', `/v1/templates/${template}`, undefined, bearer)).body.official.status;
  await until(world, 'an approved template', async () => (await status()) === 'approved');
  return { id, path, phone, template };
}

async function until<T>(world: World, what: string, check: () => Promise<T>): Promise<T> {
  for (let look = 0; look < LOOKS; look += 1) {
    const found = await check().catch(() => undefined);
    if (found) return found;
    await world.time.advance(250);
  }
  throw new Error(`setting up: there never was ${what}`);
}
