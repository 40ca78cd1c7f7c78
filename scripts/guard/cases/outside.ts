import { createHmac } from 'node:crypto';
import { TOOLS } from '../../../http/mcp/tools/index.ts';
import { exampleOf } from '../../../http/openapi/example.ts';
import { jsonSchemaOf } from '../../../http/openapi/json-schema.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { expected } from '../../faults/caller.ts';
import { until } from '../../faults/processes.ts';
import type { HostileAnswer, HostileServer } from '../answering.ts';
import { hostileDocuments, hostileMedia } from '../inputs/files.ts';
import { HOSTILE_JSON } from '../inputs/json.ts';
import { HOSTILE_TEXTS } from '../inputs/texts.ts';
import type { Case } from '../judge.ts';
import { OnceATenant } from '../once-a-tenant.ts';
import { PAYMENT_SECRETS } from '../subject.ts';
import { officialCases } from './official.ts';

const LONG_TEXT = 100_000;
const HUGE_BYTES = 30_000_000;
const READ_WITHIN_MS = 60_000;
const SETTLED_MS = 300;
const ANSWER = 1_500;
const ARGUMENT = 8_000;
const HOOK_TEXT = 20_000;

export function* outsideCases(server: HostileServer): Generator<Case> {
  yield* engineCases(server);
  yield* fetchedCases(server);
  yield* receiverCases(server);
  yield* hookCases();
  yield* officialCases();
  yield* toolCases();
}

const TEXTS: readonly (readonly [title: string, text: string])[] = HOSTILE_TEXTS.map(({ title, of }) => [title, of(LONG_TEXT)]);

const completion = (answer: string): string =>
  JSON.stringify({
    ...{ id: 'x', object: 'chat.completion', created: 1, model: 'guard' },
    choices: [
      {
        index: 0,
        finish_reason: 'stop',
        message: { role: 'assistant', content: JSON.stringify({ answer, sources: [1], handoff: false }) },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });

const JSON_TYPE = 'application/json';

function* wholeAnswers(): Generator<readonly [title: string, answer: HostileAnswer]> {
  for (const [title, body] of Object.entries(HOSTILE_JSON)) yield [title, { type: JSON_TYPE, body }];
  yield ['thirty megabytes', { type: JSON_TYPE, body: `{"a":"${'x'.repeat(HUGE_BYTES)}"}` }];
  yield [
    'many headers',
    { type: JSON_TYPE, headers: Object.fromEntries(Array.from({ length: 150 }, (_, nth) => [`x-${nth}`, 'y'.repeat(90)])), body: '{}' },
  ];
}

/** A valid response, sent in between because an engine that keeps failing is no longer called. */
const SOUND: HostileAnswer = { type: JSON_TYPE, body: completion('Yes, we ship to Singapore and Malaysia.') };

function* engineCases(server: HostileServer): Generator<Case> {
  const answers = [
    ...TEXTS.map(([title, text]) => [`the text: ${title}`, { type: JSON_TYPE, body: completion(text.slice(0, ANSWER)) }] as const),
    ['the longest text', { type: JSON_TYPE, body: completion('a'.repeat(900_000)) }] as const,
    ...wholeAnswers(),
  ];
  for (const [title, answer] of answers)
    yield {
      kinds: ['engine'],
      title: `an AI engine answers ${title}`,
      bytes: answer.body.length,
      attack: async ({ api }) => {
        for (const one of [answer, SOUND]) {
          server.answer(one);
          await api('POST', '/v1/ai-reply/ask', { question: 'Do you ship abroad, and how long does it take?' });
        }
      },
    };
}

function* fetchedCases(server: HostileServer): Generator<Case> {
  const types: Readonly<Record<string, string>> = { html: 'text/html', pdf: 'application/pdf', txt: 'text/plain' };
  for (const one of hostileDocuments()) {
    const type = types[one.name.slice(one.name.lastIndexOf('.') + 1)];
    if (type === undefined) continue;
    yield {
      kinds: ['fetched page'],
      isSlow: true,
      title: `a fetched page ${one.name}: ${one.title}`,
      get bytes() {
        return one.size;
      },
      attack: async ({ api }) => {
        server.answer({ type, body: one.make() });
        const { body } = await api('POST', '/v1/ai-reply/documents/url', { url: addressAt(server) });
        if (body.id === undefined) return;
        await until(
          READ_WITHIN_MS,
          async () => !['uploading', 'parsing'].includes((await api('GET', `/v1/ai-reply/documents/${body.id}`)).body.status),
        );
        await api('DELETE', `/v1/ai-reply/documents/${body.id}`);
      },
    };
  }
  for (const one of hostileMedia())
    yield {
      kinds: ['fetched file'],
      title: `a fetched file ${one.name}: ${one.title}`,
      get bytes() {
        return one.size;
      },
      attack: ({ api, device }) => {
        server.answer({ type: 'image/jpeg', body: one.make() });
        return api('POST', `${device.path}/messages`, { chat_id: '6281211110001', type: 'image', url: addressAt(server) });
      },
      settleMs: SETTLED_MS,
    };
}

const addressAt = ({ host }: HostileServer): string => `http://${host}/${systemClock.now()}`;

function* receiverCases(server: HostileServer): Generator<Case> {
  for (const [title, answer] of wholeAnswers())
    yield {
      kinds: ['receiver'],
      title: `a webhook is answered ${title}`,
      bytes: answer.body.length,
      attack: async (ground) => {
        server.answer(answer);
        const { id } = expected(
          await ground.api('POST', '/v1/webhooks', {
            url: `${addressAt(server)}`,
            events: ['message.received'],
            secret: 'the webhooks of the stall guard are signed',
          }),
          201,
        );
        await ground.api('POST', `/v1/webhooks/${id}/test`);
        await ground.api('DELETE', `/v1/webhooks/${id}`);
      },
      settleMs: SETTLED_MS,
    };
}

function* hookCases(): Generator<Case> {
  const order = (text: string): string =>
    JSON.stringify({
      ...{ id: 7, number: text, status: 'processing', total: text, currency: text, note: text },
      billing: { phone: '0812-3456-7890', country: 'ID', first_name: text, last_name: text, email: text },
      line_items: Array.from({ length: 1_000 }, () => ({ name: text.slice(0, 100), quantity: 1, sku: text.slice(0, 50) })),
    });
  const event = (text: string): string =>
    JSON.stringify({
      id: text,
      object: 'event',
      type: 'checkout.session.completed',
      data: { object: { id: text, client_reference_id: text } },
    });
  for (const [title, body] of [
    ...TEXTS.map(([title, text]) => [title, order(text.slice(0, HOOK_TEXT))] as const),
    ...Object.entries(HOSTILE_JSON),
  ])
    yield {
      kinds: ['store hook'],
      title: `a signed hook of a store: ${title}`,
      bytes: Buffer.byteLength(body),
      attack: async (ground) => {
        const { path, secret } = await stores.of(ground);
        const signature = createHmac('sha256', secret).update(body).digest('base64');
        const headers = { 'content-type': JSON_TYPE, 'x-wc-webhook-signature': signature, 'x-wc-webhook-topic': 'order.created' };
        return ground.subject.send({ method: 'POST', path, body, headers });
      },
    };
  for (const [title, body] of [
    ...TEXTS.map(([title, text]) => [title, event(text.slice(0, HOOK_TEXT))] as const),
    ...Object.entries(HOSTILE_JSON),
  ])
    for (const [provider, headersOf] of Object.entries(PROVIDERS))
      yield {
        kinds: [`payment hook ${provider}`],
        title: `a signed hook of ${provider}: ${title}`,
        bytes: Buffer.byteLength(body),
        attack: ({ subject }) =>
          subject.send({
            method: 'POST',
            path: `/hooks/payments/${provider}`,
            body,
            headers: { 'content-type': JSON_TYPE, ...headersOf(body) },
          }),
      };
}

const PROVIDERS: Readonly<Record<string, (body: string) => Readonly<Record<string, string>>>> = {
  stripe: (body) => {
    const stamp = Math.floor(systemClock.now() / 1_000);
    const signature = createHmac('sha256', PAYMENT_SECRETS.STRIPE_WEBHOOK_SECRET).update(`${stamp}.${body}`).digest('hex');
    return { 'stripe-signature': `t=${stamp},v1=${signature}` };
  },
  xendit: () => ({ 'x-callback-token': PAYMENT_SECRETS.XENDIT_CALLBACK_TOKEN }),
  midtrans: () => ({}),
};

interface Store {
  readonly path: string;
  readonly secret: string;
}

/** Cached, because a store's secret is shown only once. */
const stores = new OnceATenant(async ({ api }): Promise<Store> => {
  const { integration, secret } = expected(await api('POST', '/v1/store-integrations', { platform: 'platform_b', name: 'Toko' }), 201);
  return { path: new URL(integration.webhook_url).pathname, secret };
});

function* toolCases(): Generator<Case> {
  for (const { name, args } of TOOLS) {
    const schema = jsonSchemaOf(args);
    const likely = Object(exampleOf(schema));
    const texts = Object.entries(schema.properties ?? {}).filter(([, { type }]) => type === 'string');
    for (const [title, text] of TEXTS) {
      const hostile = Object.fromEntries(texts.map(([field, { maxLength }]) => [field, text.slice(0, Number(maxLength ?? ARGUMENT))]));
      const params = { name, arguments: { ...likely, ...hostile } };
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      yield {
        kinds: [`tool ${name}`],
        title: `the tool ${name}: ${title}`,
        bytes: Buffer.byteLength(body),
        attack: ({ subject, tenant }) => {
          const headers = {
            authorization: `Bearer ${tenant.token}`,
            'content-type': JSON_TYPE,
            accept: 'application/json, text/event-stream',
          };
          return subject.send({ method: 'POST', path: '/mcp', headers, body });
        },
      };
    }
  }
}
