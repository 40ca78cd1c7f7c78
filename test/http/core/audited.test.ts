import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { RowFacts } from '../../../http/core/engine.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import { unansweredIn } from '../../../store/ai-reply/unanswered.ts';
import { aGateway, type Gateway } from '../../support/gateway.ts';
import { embedded } from '../../support/stores.ts';

/** Rows that change something and do not say what they leave in the audit log, or why nothing. */
const unanswered = (rows: readonly RowFacts[]): readonly string[] =>
  rows.filter(({ method, audit }) => method !== 'GET' && !audit).map(({ id }) => id);

it('every endpoint that changes data has an audit action or states why it has none', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const { rows } = gateway.node.http;
  assert.deepEqual(unanswered(rows), []);
  const { audit: _answer, ...without } = rows.find(({ id }) => id === 'createTemplate')!;
  assert.deepEqual(unanswered([...rows, { ...without, id: 'createSomethingNew' }]), ['createSomethingNew']);
  const { paths } = (await gateway.api('GET', '/openapi.json')).body;
  assert.equal(paths['/v1/templates'].post['x-audit'], 'template.create');
  assert.deepEqual(Object.keys(paths['/v1/push/test'].post['x-audit']), ['none']);
});

/** One call of each action whose entry is carried by a record: path, body, and where the id in the path comes from. */
type Step = readonly [action: string, method: string, path: string, body?: object];

const WEBHOOK = { url: 'https://example.com/in', secret: 'a-secret-of-thirty-two-characters!', events: ['message.sent'] };
const RECURRING = { name: 'news', targets: ['+6281211110001'], message: 'Hi', schedule_type: 'daily', timezone: 'Asia/Jakarta' };
const RULE = { name: 'prices', trigger_type: 'keyword', trigger_text: 'price', reply_body: 'Soon' };

/** `{x}` stands for the id that the first step of that thing answered, `{device}` and `{other}` for devices. */
const STEPS: readonly Step[] = [
  ['key.create', 'POST', '/v1/api-keys', { name: 'one' }],
  ['key.create', 'POST', '/v1/api-keys', { name: 'two' }],
  ['key.update', 'PATCH', '/v1/api-keys/{key}', { name: 'three' }],
  ['key.rotate', 'POST', '/v1/api-keys/{key}/rotate'],
  ['key.revoke', 'DELETE', '/v1/api-keys/{key}'],
  ['webhook.create', 'POST', '/v1/webhooks', WEBHOOK],
  ['webhook.update', 'PATCH', '/v1/webhooks/{webhook}', { paused: true }],
  ['webhook.delete', 'DELETE', '/v1/webhooks/{webhook}'],
  ['template.create', 'POST', '/v1/templates', { name: 'hello', message_type: 'text', body: 'Hi' }],
  ['template.update', 'PATCH', '/v1/templates/{template}', { name: 'hi' }],
  ['template.delete', 'DELETE', '/v1/templates/{template}'],
  ['segment.create', 'POST', '/v1/segments', { name: 'all', rules: { all: [{ field: 'phone', op: 'exists', value: true }] } }],
  ['segment.update', 'PATCH', '/v1/segments/{segment}', { name: 'everybody' }],
  ['segment.delete', 'DELETE', '/v1/segments/{segment}'],
  ['tag.create', 'POST', '/v1/tags', { name: 'vip', color: '#112233' }],
  ['tag.update', 'PATCH', '/v1/tags/{tag}', { name: 'vips' }],
  ['tag.delete', 'DELETE', '/v1/tags/{tag}'],
  ['attribute.create', 'POST', '/v1/attributes', { key: 'size', label: 'Size', type: 'text' }],
  ['attribute.update', 'PATCH', '/v1/attributes/{attribute}', { label: 'Sizes' }],
  ['attribute.delete', 'DELETE', '/v1/attributes/{attribute}'],
  ['contact_group.create', 'POST', '/v1/contact-groups', { name: 'friends' }],
  ['contact_group.update', 'PATCH', '/v1/contact-groups/{contact_group}', { name: 'fans' }],
  ['contact_group.delete', 'DELETE', '/v1/contact-groups/{contact_group}'],
  ['agent.create', 'POST', '/v1/agents', { name: 'Budi', phone: '+6281277770001' }],
  ['agent.update', 'PATCH', '/v1/agents/{agent}', { name: 'Budiman' }],
  ['agent.delete', 'DELETE', '/v1/agents/{agent}'],
  ['assignment.update', 'PUT', '/v1/assignment', { mode: 'round_robin', only_online: false }],
  ['rotator.create', 'POST', '/v1/rotators', { name: 'both', session_ids: ['{device}', '{other}'], strategy: 'random' }],
  ['rotator.update', 'PATCH', '/v1/rotators/{rotator}', { name: 'two' }],
  ['rotator.delete', 'DELETE', '/v1/rotators/{rotator}'],
  ['recurring.create', 'POST', '/v1/sessions/{device}/recurring', RECURRING],
  ['recurring.update', 'PATCH', '/v1/sessions/{device}/recurring/{recurring}', { name: 'old news' }],
  ['recurring.delete', 'DELETE', '/v1/sessions/{device}/recurring/{recurring}'],
  ['auto_reply.create', 'POST', '/v1/sessions/{device}/auto-reply', RULE],
  ['auto_reply.update', 'PATCH', '/v1/sessions/{device}/auto-reply/{auto_reply}', { name: 'costs' }],
  ['auto_reply.delete', 'DELETE', '/v1/sessions/{device}/auto-reply/{auto_reply}'],
  ['ai_reply.update', 'PUT', '/v1/ai-reply', { enabled: true }],
  ['ai_answer.create', 'POST', '/v1/ai-reply/answers', { question: 'Do you deliver?', answer: 'Yes, every day.' }],
  ['ai_answer.update', 'PATCH', '/v1/ai-reply/answers/{ai_answer}', { answer: 'Yes, but on Sundays.' }],
  ['ai_answer.delete', 'DELETE', '/v1/ai-reply/answers/{ai_answer}'],
  ['ai_document.delete', 'DELETE', '/v1/ai-reply/documents/{ai_document}'],
  ['ai_question.delete', 'DELETE', '/v1/ai-reply/unanswered/{ai_question}'],
  ['store.connect', 'POST', '/v1/store-integrations', { platform: 'platform_b', name: 'shop' }],
  ['store.update', 'PUT', '/v1/store-integrations/{store}', { name: 'web shop' }],
  ['store.disconnect', 'DELETE', '/v1/store-integrations/{store}'],
  [
    'blast.create',
    'POST',
    '/v1/blasts',
    { session_id: '{device}', name: 'n', message_type: 'text', body: 'Hi', recipients: [{ phone: '+6281211110001' }] },
  ],
  ['blast.update', 'PATCH', '/v1/blasts/{blast}', { name: 'm' }],
  ['blast.delete', 'DELETE', '/v1/blasts/{blast}'],
  ['consent.configure', 'PUT', '/v1/consent/config', { enforce_api: true }],
  ['consent.set', 'PUT', '/v1/consent/+6281211110001', { status: 'opted_out' }],
  ['contacts.import', 'POST', '/v1/contacts/import', { rows: [{ phone: '+6281211110005' }] }],
  ['contact.delete', 'DELETE', '/v1/contacts/{contact}'],
  ['media.delete', 'DELETE', '/v1/media/{media}'],
  ['settings.update', 'PUT', '/v1/settings', { welcome: { enabled: true, text: 'Hi' } }],
  ['privacy.update', 'PUT', '/v1/privacy', { retention_days: { messages: 90 } }],
  ['profile.update', 'PUT', '/v1/profile', { business_name: 'Acme Inc' }],
  ['device.update', 'PATCH', '/v1/sessions/{other}', { name: 'second' }],
  ['call_rules.update', 'PATCH', '/v1/sessions/{other}/calls', { reject: true }],
];

/** Created by calls that leave no entry, or seen to elsewhere (test/stories/audit.test.ts, passkey-sign-in.test.ts, erasure.test.ts). */
const ELSEWHERE = [
  'two_factor.enable',
  'operator.enable_2fa',
  'operator.disable_2fa',
  'two_factor.disable',
  'two_factor.renew_recovery_codes',
  'passkey.create',
  'passkey.delete',
  'privacy.erase',
  // test/stories/privacy-export.test.ts
  'privacy.export',
  // test/stories/account-deletion.test.ts
  'account.delete',
  'account.restore',
  'device.create',
  'login.end',
  // test/stories/move-in.test.ts
  'session.move_in',
  // test/stories/ai-documents.test.ts
  'ai_document.create',
  'ai_document.parse',
  // test/actors/services/contacts/split.test.ts
  'contact.split',
];

it("each action on a record writes one audit entry with the record's id", async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const { api, id } = await gateway.signUp();
  const ids = await prepared(gateway, api);
  const question = { question: safeText('Where are you?'), wordings: [], asked: 1, last_at: 1, askers: [], messages: [] };
  await unansweredIn(gateway.store).add({ ...question, _id: ids.get('contact')!, tenant_id: id });
  ids.set('ai_question', ids.get('contact')!);
  const filled = (text: string): string => text.replace(/\{(\w+)\}/g, (_all, name) => ids.get(name) ?? `no ${name}`);
  for (const [action, method, path, body] of STEPS) {
    const answer = await gateway.during(api(method, filled(path), body && JSON.parse(filled(JSON.stringify(body)))));
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    const thing = action.split('.')[0]!;
    if (/\.(create|connect)$/.test(action)) ids.set(thing, (answer.body.integration ?? answer.body).id);
    const [last, before] = (await api('GET', '/v1/audit?limit=2')).body.entries;
    assert.deepEqual([last.action, last.result, last.actor.id], [action, 'ok', id]);
    assert.notEqual(last.target.id, null, action);
    if (path.includes(`{${thing}}`)) assert.equal(last.target.id, ids.get(thing), action);
    assert.ok(before.action !== action || action === 'key.create', `${action} twice`);
  }
  const carried = gateway.node.http.rows.flatMap(({ audit }) => (audit && 'action' in audit && audit.on ? [audit.action] : []));
  const tried = new Set([...STEPS.map(([action]) => action), ...ELSEWHERE]);
  assert.deepEqual(
    carried.filter((action) => !tried.has(action)),
    [],
  );
});

async function prepared(gateway: Gateway, api: Gateway['api']): Promise<Map<string, string>> {
  const device = async (): Promise<string> => (await api('POST', '/v1/sessions', {})).body.id;
  const contact = (await api('POST', '/v1/contacts', { phone: '+6281211110009' })).body.id;
  const upload = { 'content-type': 'image/png' };
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const sent = await fetch(`${gateway.node.url}/v1/media/upload`, {
    method: 'POST',
    headers: { ...upload, authorization: `Bearer ${await ownToken(api)}` },
    body: Buffer.from(png, 'base64'),
  });
  const { key } = (await sent.json()) as { key: string };
  const form = new FormData();
  form.append('file', new Blob(['We deliver on Sundays.']), 'delivery.txt');
  const headers = { authorization: `Bearer ${await ownToken(api)}` };
  const document = await fetch(`${gateway.node.url}/v1/ai-reply/documents`, { method: 'POST', headers, body: form });
  const { id } = (await document.json()) as { id: string };
  return new Map([
    ['ai_document', id],
    ['device', await device()],
    ['other', await device()],
    ['contact', contact],
    ['media', key],
  ]);
}

/** A key for the one call that is not JSON. */
const ownToken = async (api: Gateway['api']): Promise<string> => (await api('POST', '/v1/api-keys', { name: 'upload' })).body.key;
