import { pause, systemClock } from '../../../runtime/clock.ts';

export type Api = (method: string, path: string, body?: object) => Promise<Answered>;

export interface Answered {
  readonly id?: string;
  readonly qr?: string;
  readonly status?: string;
  readonly account?: { readonly id: string };
  readonly integration?: { readonly id: string };
  readonly invoice?: { readonly id: string };
}

const DIGITS = '6285500000001';
const CUSTOMER = '6281200000001';
const LOOK_MS = 20;

export async function furnish(
  api: Api,
  tenantId: string,
  deviceId: string,
): Promise<{ readonly phone: string; readonly ids: ReadonlyMap<string, string> }> {
  const phone = await linked(api);
  const ids = new Map<string, string>();
  const make = async (path: string, body: object, under = path): Promise<void> => {
    const made = await api('POST', under, body);
    ids.set(path, made.id ?? made.integration?.id ?? made.invoice?.id ?? '');
  };
  for (const [path, body] of Object.entries(things(phone, deviceId))) await make(path, body);
  await make('/v1/billing/invoices', { plan: 'starter', provider: 'sandbox' }, '/v1/billing/checkout');
  const [own, ofPhone] = [`/v1/sessions/${deviceId}`, `/v1/sessions/${phone}`];
  const session = '/v1/sessions/{sessionId}';
  for (const [path, body] of Object.entries(ofDevice())) await make(session + path, body, own + path);
  for (const [path, body] of Object.entries(onNetwork())) await make(session + path, body, ofPhone + path);
  const [contact] = await listed(api, '/v1/contacts?limit=1', 'contacts');
  ids.set('/v1/contacts', contact ?? '');
  ids.set('/v1/admin/tenants', tenantId);
  return { phone, ids };
}

const things = (phone: string, device: string): Readonly<Record<string, object>> => ({
  '/v1/store-integrations': { platform: 'platform_b', name: 'Toko' },
  '/v1/agents': { name: 'Budi', phone: '+6285555555501' },
  '/v1/api-keys': { name: 'shop' },
  '/v1/tags': { name: 'vip' },
  '/v1/contact-groups': { name: 'friends' },
  '/v1/attributes': { key: 'stripes', label: 'Stripes' },
  '/v1/segments': { name: 'nobody', rules: { all: [{ field: 'tag', op: 'is', value: 'vip' }] } },
  '/v1/templates': { name: 'hello', message_type: 'text', body: 'Hi' },
  '/v1/ai-reply/answers': { question: 'Open?', answer: 'Yes' },
  '/v1/webhooks': { url: 'https://example.com/in', secret: 'a secret that only the two of us know', events: ['message.received'] },
  '/v1/rotators': { name: 'both', session_ids: [device, phone] },
});

const ofDevice = (): Readonly<Record<string, object>> => ({
  '/scheduled': { chat_id: CUSTOMER, type: 'text', body: 'Hi', scheduled_at: systemClock.now() + 86_400_000 },
  '/recurring': { name: 'news', targets: [CUSTOMER], message: 'Hi', schedule_type: 'daily' },
  '/auto-reply': { name: 'price', trigger_type: 'keyword', trigger_text: 'price', reply_body: 'Soon', is_active: false },
});

const onNetwork = (): Readonly<Record<string, object>> => ({
  '/groups': { subject: 'Customers', participants: [`+${CUSTOMER}`] },
  '/communities': { subject: 'Branches' },
  '/channels': { name: 'News' },
});

async function linked(api: Api): Promise<string> {
  const { id = '' } = await api('POST', '/v1/sessions', {});
  const { code } = await codeOf(api, id);
  await api('POST', `/sandbox/phones/${DIGITS}/scan`, { pairing_code: code });
  while ((await api('GET', `/v1/sessions/${id}`)).status !== 'connected') await pause(systemClock, LOOK_MS);
  return id;
}

const codeOf = (api: Api, id: string): Promise<Answered & { readonly code?: string }> =>
  api('POST', `/v1/sessions/${id}/pairing-code`, { phone: `+${DIGITS}` });

async function listed(api: Api, path: string, name: string): Promise<readonly string[]> {
  const list: unknown = Reflect.get(await api('GET', path), name);
  return Array.isArray(list) ? list.map((one) => String(Reflect.get(one, 'id'))) : [];
}
