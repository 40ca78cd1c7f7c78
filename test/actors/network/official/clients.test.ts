import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { templateObject } from '../../../../actors/domain/official-templates.ts';
import { contentBody, envelope, personOf } from '../../../../actors/network/official/bodies.ts';
import type { Content, OutgoingMessage } from '../../../../actors/network/port.ts';
import { sandboxVerbs } from '../../../../actors/network/sandbox/api.ts';
import { createSandbox } from '../../../../actors/network/sandbox/sandbox.ts';
import { systemClock } from '../../../../runtime/clock.ts';
import { present } from '../../../../runtime/invariant.ts';
import { ANNA } from '../../../support/gateway.ts';
import { NUMBER } from '../../../support/official.ts';
import type { Scope } from '../../../support/stores.ts';

const PACKAGES = join(import.meta.dirname, 'node_modules');
const skip = existsSync(join(PACKAGES, 'whatsapp-api-js')) ? false : `the clients are not installed (npm ci in ${import.meta.dirname})`;
if (skip) console.log(`${skip}: the tests with public clients are left out.`);

/** The libraries are not installed everywhere, so the compiler does not know their types. */
const load = (path: string) => import(pathToFileURL(join(PACKAGES, path)).href);

async function clients() {
  const [kapso, server, other, messages] = await Promise.all([
    load('@kapso/whatsapp-cloud-api/dist/index.js'),
    load('@kapso/whatsapp-cloud-api/dist/server.js'),
    load('whatsapp-api-js/lib/index.js'),
    load('whatsapp-api-js/lib/messages/index.js'),
  ]);
  return { kapso, server, other, messages };
}
type Clients = Awaited<ReturnType<typeof clients>>;

const OPAQUE = '01K0000000000000000000000A';
const KEYS = { token: 'EAAtoken', phone: '200000000000002' };

/** The clients with the address of the platform replaced: calls go to `receive`. */
function built({ kapso, other }: Clients, receive: typeof fetch, secret = 'secret', token = KEYS.token) {
  const api = new other.WhatsAppAPI({ token, appSecret: secret, v: 'v26.0', ponyfill: { fetch: receive } });
  const client = new kapso.WhatsAppClient({
    accessToken: token,
    baseUrl: 'https://graph.facebook.com',
    graphVersion: 'v26.0',
    fetch: receive,
  });
  return { api, client };
}

const file = (contentType: string, filename: string | null = null) => ({ contentType, filename, size: 1, sha256: 'a' });
const media = (type: 'image' | 'video' | 'audio' | 'document' | 'sticker', contentType: string, more: object = {}): Content => ({
  ...{ type, file: file(contentType), caption: null, voiceNote: false },
  ...more,
});
const interactive = (object: Readonly<Record<string, unknown>>): Pick<OutgoingMessage, 'official'> => ({
  official: { interactive: object },
});
const TEXT: Content = { type: 'text', body: 'Hi https://example.com' };
const PREVIEW = { preview: { url: 'https://example.com', title: 'Example', description: '' } };
const REPLY = { type: 'reply', reply: { id: 'y', title: 'Yes' } };
const ROW = { id: 'r1', title: 'One', description: 'd' };
const NAMED = [
  { type: 'BODY', text: 'Hi {{first_name}}, it is {{order}}.' },
  { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'See', url: 'https://example.com/{{1}}' }] },
];

describe('public clients of the official platform', { skip }, () => {
  it('send the same bodies as the driver', async () => {
    const all = await clients();
    const bodies: unknown[] = [];
    const { api, client } = built(all, async (_url, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      return Response.json({ messages: [{ id: 'wamid.A' }], contacts: [], success: true });
    });
    const m = all.messages;
    const template = templateObject(
      { name: 'order_ready', language: 'en_US', components: NAMED },
      new Map([
        ['first_name', 'Ana'],
        ['order', 'A-17'],
        ['button.0', 'A-17'],
      ]),
    );
    const kinds: readonly (readonly [Partial<OutgoingMessage> & { content: Content }, method: string, input: object, message: unknown])[] =
      [
        [
          { content: TEXT, ...PREVIEW },
          'sendText',
          { body: 'Hi https://example.com', previewUrl: true },
          new m.Text('Hi https://example.com', true),
        ],
        [
          { content: TEXT, ...PREVIEW, quotes: 'wamid.Q' },
          'sendText',
          { body: 'Hi https://example.com', previewUrl: true, contextMessageId: 'wamid.Q' },
          new m.Text('Hi https://example.com', true),
        ],
        [
          { content: media('image', 'image/jpeg', { caption: 'a' }) },
          'sendImage',
          { image: { id: '1', caption: 'a' } },
          new m.Image('1', true, 'a'),
        ],
        [
          { content: media('video', 'video/mp4', { caption: 'a' }) },
          'sendVideo',
          { video: { id: '1', caption: 'a' } },
          new m.Video('1', true, 'a'),
        ],
        [{ content: media('audio', 'audio/mpeg') }, 'sendAudio', { audio: { id: '1' } }, new m.Audio('1', true)],
        [
          { content: media('audio', 'audio/ogg', { voiceNote: true }) },
          'sendAudio',
          { audio: { id: '1', voice: true } },
          new m.Audio('1', true, true),
        ],
        [
          { content: media('document', 'application/pdf', { file: file('application/pdf', 'a.pdf'), caption: 'b' }) },
          'sendDocument',
          { document: { id: '1', filename: 'a.pdf', caption: 'b' } },
          new m.Document('1', true, 'b', 'a.pdf'),
        ],
        [{ content: media('sticker', 'image/webp') }, 'sendSticker', { sticker: { id: '1' } }, new m.Sticker('1', true)],
        [
          { content: { type: 'location', lat: -6.2, lng: 106.8 } },
          'sendLocation',
          { location: { latitude: -6.2, longitude: 106.8 } },
          new m.Location(106.8, -6.2),
        ],
        [
          { content: { type: 'contact', name: 'Ana', phone: '6281200000001' } },
          'sendContacts',
          { contacts: [{ name: { formattedName: 'Ana', firstName: 'Ana' }, phones: [{ phone: '+6281200000001', type: 'CELL' }] }] },
          new m.Contacts([new m.Name('Ana', 'Ana'), new m.Phone('+6281200000001', 'CELL')]),
        ],
        [
          { content: TEXT, ...interactive({ type: 'button', body: { text: 'Ok?' }, footer: { text: 'f' }, action: { buttons: [REPLY] } }) },
          'sendInteractiveButtons',
          { bodyText: 'Ok?', footerText: 'f', buttons: [{ id: 'y', title: 'Yes' }] },
          new m.Interactive(new m.ActionButtons(new m.Button('y', 'Yes')), new m.Body('Ok?'), undefined, new m.Footer('f')),
        ],
        [
          {
            content: TEXT,
            ...interactive({ type: 'list', body: { text: 'Pick' }, action: { button: 'Open', sections: [{ title: 'S', rows: [ROW] }] } }),
          },
          'sendInteractiveList',
          { bodyText: 'Pick', buttonText: 'Open', sections: [{ title: 'S', rows: [ROW] }] },
          new m.Interactive(new m.ActionList('Open', new m.ListSection('S', new m.Row('r1', 'One', 'd'))), new m.Body('Pick')),
        ],
        [
          {
            content: TEXT,
            ...interactive({
              type: 'cta_url',
              body: { text: 'See' },
              action: { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com' } },
            }),
          },
          'sendInteractiveCtaUrl',
          { bodyText: 'See', parameters: { displayText: 'Open', url: 'https://example.com' } },
          new m.Interactive(new m.ActionCTA('Open', 'https://example.com'), new m.Body('See')),
        ],
        [
          { content: TEXT, official: { template } },
          'sendTemplate',
          { template },
          new m.Template(
            'order_ready',
            'en_US',
            new m.BodyComponent(new m.BodyParameter('Ana', 'first_name'), new m.BodyParameter('A-17', 'order')),
            new m.URLComponent('A-17'),
          ),
        ],
      ];
    for (const [message, method, input, built] of kinds) {
      const outgoing: OutgoingMessage = { netId: '3EB0', to: `${ANNA}@s.whatsapp.net`, quotes: null, ...message };
      const ours = { ...envelope(present(personOf(outgoing.to, null), 'the person'), OPAQUE), ...contentBody(outgoing, '1') };
      bodies.length = 0;
      const to = { phoneNumberId: KEYS.phone, to: `+${ANNA}`, recipientType: 'individual', bizOpaqueCallbackData: OPAQUE };
      await client.messages[method]({ ...to, ...input });
      await api.sendMessage(KEYS.phone, `+${ANNA}`, built, message.quotes ?? undefined, OPAQUE);
      const [first, second] = bodies;
      assert.deepEqual(plain(first), plain(ours), `${method}, first client`);
      assert.deepEqual(plainOfSecond(second), plain(ours), `${method}, second client`);
    }
    // A person without a number is addressed by `recipient`.
    bodies.length = 0;
    const nobody = {
      ...envelope(present(personOf('9@lid', 'ID.1'), 'the person'), OPAQUE),
      type: 'text',
      text: { body: 'x', preview_url: false },
    };
    await client.messages.sendText({
      phoneNumberId: KEYS.phone,
      recipient: 'ID.1',
      recipientType: 'individual',
      bizOpaqueCallbackData: OPAQUE,
      body: 'x',
      previewUrl: false,
    });
    assert.deepEqual(plain(bodies[0]), plain(nobody));
  });

  it('send through the sandbox’s simulated platform, and read its webhooks', async (t) => {
    const all = await clients();
    const sandbox = createSandbox({ clock: systemClock });
    const verbs = sandboxVerbs(sandbox);
    const keys = verbs.createOfficial({ phone_number: NUMBER });
    const double = await verbs.officialUrl();
    const hooks = await aCallback(t);
    const throughDouble: typeof fetch = (url, init) => fetch(String(url).replace('https://graph.facebook.com/v26.0', double), init);
    const { api, client } = built(all, throughDouble, keys.app_secret, keys.access_token);
    await throughDouble(`https://graph.facebook.com/v26.0/${keys.waba_id}/subscribed_apps`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.access_token}` },
    });
    const fields = 'messages,user_preferences';
    const json = { object: 'whatsapp_business_account', callback_url: hooks.url, verify_token: 'v', fields };
    const subscribed = await throughDouble(`https://graph.facebook.com/v26.0/${keys.app_id}/subscriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.app_id}|${keys.app_secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(json),
    });
    assert.equal(subscribed.status, 200);

    const { id } = verbs.write(ANNA, { to: NUMBER, body: 'Halo @ 50% ä 👍' });
    await hooks.until(1);
    const first = await client.messages.sendText({
      phoneNumberId: keys.phone_number_id,
      to: `+${ANNA}`,
      body: 'From one',
      contextMessageId: id,
    });
    const second = await api.sendMessage(keys.phone_number_id, `+${ANNA}`, new all.messages.Text('From the other'), undefined, OPAQUE);
    for (const wamid of [first.messages[0].id, second.messages[0].id]) assert.match(wamid, /^wamid\./);
    await client.messages.markRead({ phoneNumberId: keys.phone_number_id, messageId: id });
    verbs.write(ANNA, { to: NUMBER, type: 'reaction', target: first.messages[0].id, body: '👍' });
    verbs.write(ANNA, { to: NUMBER, type: 'button_answer', content: { id: 'y', text: 'Yes' }, reply_to: first.messages[0].id });
    verbs.write(ANNA, { to: NUMBER, type: 'location', location: { lat: -6.2, lng: 106.8 } });
    // One message each, and three statuses of each send.
    await hooks.until(10);
    const seen: string[] = [];
    api.on.message = ({ message }: { message: { type: string } }) => void seen.push(message.type);
    api.on.status = ({ status }: { status: string }) => void seen.push(status);
    const read: string[] = [];
    for (const { raw, signature } of hooks.received) {
      assert.ok(all.server.verifySignature({ appSecret: keys.app_secret, rawBody: raw, signatureHeader: signature }));
      assert.ok(!all.server.verifySignature({ appSecret: 'another', rawBody: raw, signatureHeader: signature }));
      const { messages, statuses } = all.server.normalizeWebhook(JSON.parse(raw));
      read.push(...messages.map(({ type }: { type: string }) => type), ...statuses.map(({ status }: { status: string }) => status));
      await api.post(JSON.parse(raw), raw, signature);
    }
    const expected = ['delivered', 'delivered', 'interactive', 'location', 'reaction', 'read', 'read', 'sent', 'sent', 'text'];
    assert.deepEqual(read.toSorted(), expected);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(seen.toSorted(), expected);
  });
});

/** Without fields that are undefined, which do not leave. */
const plain = (body: unknown): unknown => JSON.parse(JSON.stringify(body));

/**
 * A body of the second client. It sends nested objects as JSON in a string, the index of a button as a number, and a
 * policy for the language that has only one value; the platform takes these, too.
 */
const plainOfSecond = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body), (key, value) => {
    if (key === 'policy') return undefined;
    if (key === 'index') return String(value);
    return typeof value === 'string' && /^[[{]/.test(value) ? JSON.parse(value) : value;
  });

interface Call {
  readonly raw: string;
  readonly signature: string;
}

/** A callback that answers the challenge of the platform and keeps what it gets. */
async function aCallback(scope: Scope) {
  const received: Call[] = [];
  let came = (): void => undefined;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    if (request.method === 'POST') {
      received.push({ raw: Buffer.concat(parts).toString(), signature: String(request.headers['x-hub-signature-256']) });
      came();
    }
    response.end(new URL(request.url ?? '', 'http://localhost').searchParams.get('hub.challenge') ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const until = (count: number): Promise<void> =>
    new Promise((resolve) => {
      came = () => received.length >= count && resolve();
      came();
    });
  return { url: `http://127.0.0.1:${port}/`, received, until };
}
