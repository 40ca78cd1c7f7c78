import assert from 'node:assert/strict';
import type { Api } from '../../support/gateway.ts';

/** Markup, a mark that turns the direction of reading around, and a word that no line can hold. */
const HOSTILE = `<img src=x onerror="document.title='owned'">"'</textarea>\u202Egnp.exe`;
const LENGTHS = [65_536, 5_000, 1_000, 255, 100, 50, 30];

/** The longest hostile text that the gateway takes there, as somebody who tries would find it. */
async function longest(
  make: (text: string) => Promise<{ readonly status: number; readonly body: { readonly id: string } }>,
): Promise<string> {
  const answers: string[] = [];
  for (const length of LENGTHS) {
    const { status, body } = await make(HOSTILE.padEnd(length, 'W').slice(0, length));
    assert.ok(status < 500, `${status}`);
    if (status < 300) return body.id;
    answers.push(JSON.stringify(body));
  }
  throw new Error(`no hostile text is taken: ${answers}`);
}

/** Fills a business with texts of people who mean harm, wherever they can put one. Gives the id of the campaign. */
export async function fillWithHostility(call: Api, device: string, other: string): Promise<string> {
  const post = (path: string, body: (text: string) => object) => longest((text) => call('POST', path, body(text)));
  await longest((name) => call('PATCH', `/v1/sessions/${device}`, { name }));
  await post('/v1/contacts', (name) => ({ phone: '+6281211110005', name, tags: ['VIP'] }));
  await post('/v1/contacts', (tag) => ({ phone: '+6281211110006', name: 'Budi', tags: [tag] }));
  await post('/v1/templates', (name) => ({ name, message_type: 'text', body: name.slice(0, 1_000), language: 'en' }));
  await post('/v1/agents', (name) => ({ name, phone: '+6281311110001' }));
  await post('/v1/api-keys', (name) => ({ name, scopes: ['read'] }));
  await post('/v1/segments', (name) => ({ name, rules: { all: [{ field: 'name', op: 'contains', value: name.slice(0, 60) }] } }));
  await post('/v1/rotators', (name) => ({ name, session_ids: [device, other] }));
  await post('/v1/ai-reply/answers', (text) => ({ question: text.slice(0, 200), answer: text }));
  await post(`/v1/sessions/${device}/auto-reply`, (name) => ({
    name,
    trigger_type: 'contains',
    trigger_text: 'price',
    reply_body: name.slice(0, 500),
  }));
  for (const nth of [1, 2])
    await post('/v1/webhooks', (text) => ({
      url: `https://example.com/${nth}/${encodeURIComponent(text.slice(0, 200))}`,
      secret: 's'.repeat(40),
      events: ['message.received'],
    }));
  return post('/v1/blasts', (name) => ({
    ...{ name, session_id: device, message_type: 'text', body: name.slice(0, 1_000) },
    recipients: [{ phone: '+6281211110005', name: name.slice(0, 60) }],
  }));
}
