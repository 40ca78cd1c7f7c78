import { createHmac } from 'node:crypto';
import { sandboxVerbs } from '../../../actors/network/sandbox/api.ts';
import { at, present } from '../../../runtime/invariant.ts';
import { expected } from '../../faults/caller.ts';
import { until } from '../../faults/processes.ts';
import { HOSTILE_JSON } from '../inputs/json.ts';
import { HOSTILE_TEXTS } from '../inputs/texts.ts';
import type { Case } from '../judge.ts';
import { OnceATenant } from '../once-a-tenant.ts';

/**
 * Signed webhooks of an official number that is connected, so that the device reads each webhook
 * too. A former partner of the business may know the secret and can sign any body.
 */

const TEXT = 20_000;
const LONGEST_TEXT = 2_800_000;
const CONNECTED_WITHIN_MS = 60_000;
const SETTLED_MS = 300;
const READ_MS = 1_500;
const SHOP = '6281100000055';

/** How many records a webhook may have, below the limit on its keys and values. */
const MANY = { statuses: 6_000, messages: 3_000, contacts: 7_000, changes: 5_000 } as const;
const NESTED = 20;

export function* officialCases(): Generator<Case> {
  for (const { title, of } of HOSTILE_TEXTS) yield hookCase(title, ['official hook'], (number) => updates(number, textsOf(of(TEXT))));
  for (const [title, body] of Object.entries(HOSTILE_JSON)) yield hookCase(title, ['official hook'], () => body);
  for (const [title, changes] of Object.entries(WHOLE))
    yield hookCase(title, [`official hook with ${title}`], (number) => updates(number, changes()), READ_MS);
}

function hookCase(title: string, kinds: readonly string[], make: (number: OfficialNumber) => string, settleMs = SETTLED_MS): Case {
  return {
    kinds,
    title: `a signed hook of an official number: ${title}`,
    get bytes() {
      return Buffer.byteLength(make(NOBODY));
    },
    attack: async (ground) => {
      const number = await numbers.of(ground);
      const body = make(number);
      const signature = createHmac('sha256', number.app_secret).update(body).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
      return ground.subject.send({ method: 'POST', path: number.hook, body, headers });
    },
    settleMs,
  };
}

interface OfficialNumber {
  readonly hook: string;
  readonly phone_number_id: string;
  readonly waba_id: string;
  readonly app_secret: string;
}

const NOBODY: OfficialNumber = { hook: '', phone_number_id: '106540352242922', waba_id: '102290129340398', app_secret: '' };

const numbers = new OnceATenant(async ({ api, subject }): Promise<OfficialNumber> => {
  const keys = sandboxVerbs(subject.network.sandbox).createOfficial({ phone_number: SHOP });
  const { id, official } = expected(await api('POST', '/v1/sessions', { official: keys }), 201);
  expected(await api('POST', `/v1/sessions/${id}/connect`), 200, 202);
  const isConnected = async () => (await api('GET', `/v1/sessions/${id}`)).body.status === 'connected';
  present(await until(CONNECTED_WITHIN_MS, isConnected), 'a connection of the official number');
  return { ...keys, hook: new URL(official.webhook_url).pathname };
});

interface Change {
  readonly field: string;
  readonly value: object;
}

function updates({ phone_number_id, waba_id }: OfficialNumber, changes: readonly Change[]): string {
  const metadata = { display_phone_number: SHOP, phone_number_id };
  const full = changes.map(({ field, value }) => ({ field, value: field === 'messages' ? { metadata, ...value } : value }));
  return JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: waba_id, changes: full }] });
}

const several = <T>(count: number, make: (nth: number) => T): readonly T[] => Array.from({ length: count }, (_none, nth) => make(nth));
const messagesWith = (value: object): readonly Change[] => [{ field: 'messages', value }];

/** The node ignores a message whose id it knows, so each id is used only once. */
let lastId = 0;
const newId = (): string => {
  lastId += 1;
  return `wamid.GUARD${lastId}`;
};

const STAMP = '1760000000';
const phoneOf = (nth: number): string => String(6_281_400_000_000 + nth);
const message = (nth: number, content: object) => ({ from: phoneOf(nth), id: newId(), timestamp: STAMP, ...content });
const written = (body: string) => ({ type: 'text', text: { body } });

const textsOf = (text: string): readonly Change[] =>
  messagesWith({
    contacts: several(20, (nth) => ({ wa_id: phoneOf(nth), profile: { name: text, username: text }, user_id: text })),
    messages: several(20, (nth) => message(nth, { ...written(text), context: { id: text } })),
    statuses: several(20, () => ({ id: text, status: 'read', timestamp: text, recipient_id: text, recipient_user_id: text })),
  });

const nested = (depth: number): object => (depth === 0 ? {} : { text: nested(depth - 1) });

const WHOLE: Readonly<Record<string, () => readonly Change[]>> = {
  'many statuses': () =>
    messagesWith({
      statuses: several(MANY.statuses, (nth) => ({ id: newId(), status: 'read', timestamp: STAMP, recipient_id: phoneOf(nth % 50) })),
    }),
  'many failures': () =>
    messagesWith({
      statuses: several(MANY.statuses / 2, () => ({ id: newId(), status: 'failed', timestamp: STAMP, errors: [{ code: 131_047 }] })),
    }),
  'many prices': () =>
    messagesWith({
      statuses: several(MANY.statuses / 2, () => ({
        ...{ id: newId(), status: 'delivered', timestamp: STAMP },
        pricing: { category: 'marketing', billable: true },
      })),
    }),
  'many messages': () => messagesWith({ messages: several(MANY.messages, (nth) => message(nth % 50, written('a'))) }),
  'many contacts': () =>
    messagesWith({
      contacts: several(MANY.contacts, (nth) => ({ wa_id: phoneOf(nth), user_id: `U${nth}` })),
      messages: several(10, (nth) => message(nth, written('a'))),
    }),
  'one text of megabytes': () => messagesWith({ messages: [message(1, written('a\u0301 '.repeat(LONGEST_TEXT / 8)))] }),
  'nested content': () =>
    messagesWith({
      messages: several(100, (nth) => message(nth, contentOf(nth))),
    }),
  'many cards': () =>
    messagesWith({
      messages: [message(1, { type: 'contacts', contacts: several(4_000, () => ({ phones: [{ phone: '1', wa_id: '1' }] })) })],
    }),
  'many changes of a template': () =>
    several(MANY.changes, (nth) => ({ field: 'message_template_status_update', value: { message_template_name: `t${nth}` } })),
  'many changes of quality': () => several(MANY.changes, () => ({ field: 'phone_number_quality_update', value: { event: 'x' } })),
  'many preferences': () => [
    {
      field: 'user_preferences',
      value: {
        user_preferences: several(4_000, (nth) => ({
          ...{ wa_id: phoneOf(nth), category: 'marketing_messages', timestamp: 1_760_000_000 },
          value: nth % 2 === 0 ? 'stop' : 'resume',
        })),
      },
    },
  ],
};

const KINDS = ['interactive', 'order', 'system', 'contacts'] as const;

function contentOf(nth: number): object {
  const type = at(KINDS, nth % KINDS.length);
  return { type, [type]: type === 'contacts' ? [nested(NESTED)] : nested(NESTED) };
}
