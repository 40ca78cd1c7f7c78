import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { embedded } from '../support/stores.ts';

it('placeholders such as {name} are replaced in every text to customers, and unknown ones cause a warning on save', async (t) => {
  const gateway = await aGateway(t, { kind: embedded });
  const { api, linked } = await gateway.signUp();
  const device = await linked(PHONE);
  const warned = ({ body }: { body: { warnings?: readonly { code: string; token: string; message: string }[] } }) =>
    (body.warnings ?? []).map(({ code, token }) => `${code} ${token}`);

  const template = await api('POST', '/v1/templates', { name: 't', message_type: 'text', body: 'Hi {NAME}, {nmae}{var6}!' });
  assert.deepEqual(warned(template), ['UNKNOWN_TOKEN {nmae}', 'UNKNOWN_TOKEN {var6}']);
  const previewed = await api('POST', `/v1/templates/${template.body.id}/preview`, { vars: { name: 'Anna' } });
  assert.deepEqual(previewed.body, { body: 'Hi Anna, !', missing: ['nmae', 'var6'] });
  assert.deepEqual(warned(await api('PATCH', `/v1/templates/${template.body.id}`, { body: 'Hi {name}' })), []);

  const rule = { name: 'r', trigger_type: 'keyword', trigger_text: 'price', reply_body: 'For {{first_name|you}}: {pirce}', cooldown_ms: 0 };
  assert.deepEqual(warned(await api('POST', `${device.path}/auto-reply`, rule)), ['UNKNOWN_TOKEN {pirce}']);
  assert.deepEqual(warned(await api('PUT', '/v1/settings', { welcome: { enabled: false, text: '{x}' } })), ['UNKNOWN_TOKEN {x}']);
  const consent = await api('PUT', '/v1/consent/config', { optout_reply: 'Bye {{First_Name|friend}} {unknown}.' });
  assert.deepEqual(warned(consent), ['UNKNOWN_TOKEN {unknown}']);
  assert.deepEqual(warned(await api('PATCH', `${device.path}/calls`, { reject: true, reject_text: 'Write, {name} {y}' })), [
    'UNKNOWN_TOKEN {y}',
  ]);

  await api('POST', '/v1/contacts', { phone: `+${ANNA}`, name: 'Anna Widodo' });
  const anna = gateway.sandbox.phone(ANNA);
  anna.write({ to: PHONE, content: { type: 'text', body: 'STOP' } });
  await gateway.until('the confirmation arrives', () => anna.messages(5).length > 0);
  assert.match(JSON.stringify(anna.messages(1)), /Bye Anna \./);

  const blast = await api('POST', '/v1/blasts', {
    session_id: device.id,
    name: 'Sale',
    message_type: 'text',
    body: 'Sale, {fist_name}!',
    recipients: [{ phone: '+6281255550005' }],
  });
  assert.deepEqual(warned(blast), ['UNKNOWN_TOKEN {fist_name}']);
  const refused = await api('POST', `/v1/blasts/${blast.body.id}/start`, {});
  assert.deepEqual([refused.status, refused.body.details?.[0].path], [400, 'body'], JSON.stringify(refused.body));
  assert.match(refused.body.error, /\{fist_name\}/);
  await api('PATCH', `/v1/blasts/${blast.body.id}`, { body: 'Sale, {first_name}!' });
  assert.equal((await api('POST', `/v1/blasts/${blast.body.id}/start`, {})).status, 200);
});
