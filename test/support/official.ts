import { createHmac } from 'node:crypto';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { aGateway, type Gateway, type Tenant } from './gateway.ts';
import type { Scope, StoreKind } from './stores.ts';

/** A business with one number on the official side of the sandbox. */
export const NUMBER = '6281100000077';

export async function anOfficialShop(t: Scope, kind: StoreKind, config: object = {}) {
  const gateway = await aGateway(t, { kind, config });
  const { sandbox, clock } = gateway;
  clock.waitWhile(() => sandbox.official.isBusy, 'the official platform');
  const acme = await gateway.signUp();
  return { gateway, acme, verbs: sandboxVerbs(sandbox), ...(await anOfficialDevice(gateway, acme)) };
}

export async function anOfficialDevice(
  { sandbox, until, api: gatewayApi }: Gateway,
  { api }: Pick<Tenant, 'api'>,
  phone = NUMBER,
  wabaId?: string,
) {
  const keys = sandboxVerbs(sandbox).createOfficial({ phone_number: phone, ...(wabaId !== undefined && { waba_id: wabaId }) });
  const made = await api('POST', '/v1/sessions', { name: 'Official', official: keys });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const path = `/v1/sessions/${made.body.id}`;
  await api('POST', `${path}/connect`);
  const session = async () => (await api('GET', path)).body;
  await until('the number is connected', async () => (await session()).status === 'connected');
  const message = async (id: string) => (await api('GET', `${path}/messages/${id}`)).body;
  /** Sends a webhook of the platform with `part`: messages, statuses or both. */
  const says = async (part: object) => {
    const { phone_number_id, waba_id, app_secret } = keys;
    const value = { messaging_product: 'whatsapp', metadata: { display_phone_number: phone, phone_number_id }, ...part };
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: waba_id, changes: [{ field: 'messages', value }] }] });
    const signature = `sha256=${createHmac('sha256', app_secret).update(body).digest('hex')}`;
    const { pathname } = new URL(made.body.official.webhook_url);
    const answer = await gatewayApi('POST', pathname, body, { 'x-hub-signature-256': signature });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  };
  /** Sends a late webhook of the platform: this person wrote at `at` (epoch ms). */
  const wrote = async (phoneNumber: string, at: number, text: string, wamid = `wamid.${phoneNumber}${at}`) => {
    const message = { from: phoneNumber, id: wamid, timestamp: String(Math.floor(at / 1_000)), type: 'text', text: { body: text } };
    const contacts = [{ profile: { name: 'Somebody' }, wa_id: phoneNumber, user_id: `ID.${phoneNumber}` }];
    await says({ contacts, messages: [message] });
  };
  return {
    wrote,
    says,
    chat: async (phoneNumber: string) => (await api('GET', `${path}/chats/${phoneNumber}`)).body,
    keys,
    phone,
    made: made.body,
    id: String(made.body.id),
    path,
    session,
    message,
    /** Resolves with the message once it has this status. */
    reaches: (id: string, status: string) =>
      until(`${id} is ${status}`, async () => {
        const found = await message(id);
        return found.status === status && found;
      }),
    async send(body: object) {
      const answer = await api('POST', `${path}/messages`, body);
      if (answer.status !== 202) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return String(answer.body.id);
    },
    inbound: async () => (await api('GET', `${path}/messages?direction=inbound&limit=100`)).body.messages,
  };
}

type Shop = Awaited<ReturnType<typeof anOfficialShop>>;

/** Submits a template with one variable, approves it, and returns its id. */
export async function anApprovedTemplate({ gateway, acme, id: session_id, verbs, keys }: Shop, category = 'marketing'): Promise<string> {
  const components = [{ type: 'BODY', text: 'Hi {{name}}, see you today.' }];
  const official = { session_id, name: `news_${category}`, language: 'en_US', category, components };
  const made = await acme.api('POST', '/v1/templates', { official });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  verbs.changeOfficial(keys.phone_number_id, { templates: { [`news_${category}:en_US`]: 'approved' } });
  const status = async () => (await acme.api('GET', `/v1/templates/${made.body.id}`)).body.official.status;
  await gateway.until('it is approved', async () => (await status()) === 'approved');
  return String(made.body.id);
}
