import assert from 'node:assert/strict';
import { newId } from '../../../runtime/ids.ts';
import type { Doc } from '../../../store/port.ts';
import { ANNA } from '../../support/gateway.ts';
import { idOf, type Race } from './race.ts';

/** Consent, settings, automatic answers, packs, uploads, campaigns, logins. */
export const OTHERS: readonly Race[] = [
  {
    name: 'record every consent change of one person, and keep the latest',
    ready: async () => (call, nth) => call('PUT', `/v1/consent/${ANNA}`, { status: nth % 2 === 0 ? 'opted_out' : 'opted_in' }),
    answers: { 200: 6 },
    async after({ api, cluster }) {
      await cluster.clock.advance(60_000);
      const { history } = (await api('GET', `/v1/consent/history/${ANNA}`)).body;
      assert.equal(history.length, 6);
      const [last] = (await api('GET', '/v1/consent')).body.consent;
      assert.equal(last.status, history[0].status);
    },
  },
  {
    name: 'change different sections of the settings without losing any change',
    ready: async () => (call, nth) => call('PUT', '/v1/settings', SECTIONS[nth]),
    answers: { 200: 6 },
    async after({ api }) {
      const { send_window, welcome, away, warmup, pacing } = (await api('GET', '/v1/settings')).body;
      assert.deepEqual(
        [send_window.start, welcome.text, away.text, warmup.days, pacing.typing, send_window.end],
        ['07:00', 'hi', 'later', 3, true, '21:00'],
      );
    },
  },
  {
    name: 'change different consent settings without errors',
    ready: async () => (call, nth) => call('PUT', '/v1/consent/config', CONSENT[nth]),
    answers: { 200: 6 },
  },
  {
    name: 'create only one auto-reply if the device may have one more',
    async ready({ api, device, cluster, tenant, nodes }) {
      const rule = {
        id: newId(1),
        name: 'r',
        trigger_type: 'contains',
        trigger_text: 'zz',
        match_case: 0,
        reply_type: 'text',
        reply_body: 'x',
        reply_r2_key: null,
        reply_caption: null,
        cooldown_ms: 0,
        priority: 0,
        is_active: 1,
        created_at: 1,
      };
      const row = {
        _id: idOf(device),
        tenant_id: tenant.id,
        rev: 1,
        rules: Array.from({ length: 499 }, () => ({ ...rule, id: newId(1) })),
      };
      await nodes[0]!.store.collection<Doc>({ name: 'auto_replies', indexes: [] }).insertOne(row as Doc);
      await cluster.clock.advance(0);
      void api;
      return (call, nth) =>
        call('POST', `${device}/auto-reply`, { name: `n${nth}`, trigger_type: 'contains', trigger_text: 'price', reply_body: 'x' });
    },
    answers: { 201: 1, 402: 5 },
  },
  {
    name: 'apply an industry pack only once',
    ready:
      async ({ device }) =>
      (call) =>
        call('POST', '/v1/onboarding/packs/retail/apply', { session_id: idOf(device) }),
    answers: { 200: 6 },
    async after({ api }, answers) {
      const sum = (field: string): number => answers.reduce((all, { body }) => all + body[field], 0);
      const { templates } = (await api('GET', '/v1/templates')).body;
      const { packs } = (await api('GET', '/v1/onboarding/packs')).body;
      const pack = packs.find(({ industry }: { industry: string }) => industry === 'retail');
      assert.deepEqual(
        [templates.length, sum('templates'), sum('auto_replies'), sum('tags')],
        [pack.templates, pack.templates, pack.auto_replies, pack.tags],
      );
    },
  },
  {
    name: 'upload only one file to an upload address',
    async ready({ api }) {
      const { url } = (await api('POST', '/v1/media/upload-url', { filename: 'a.txt', content_type: 'text/plain', size: 1 })).body;
      const { pathname } = new URL(url);
      return (call) =>
        call('PUT', pathname, 'h', { 'content-type': 'text/plain' }).then((answer) => ({
          ...answer,
          status: answer.status === 403 ? 409 : answer.status,
        }));
    },
    answers: { 201: 1, 409: 5 },
    async after({ api }) {
      assert.equal((await api('GET', '/v1/media')).body.media.length, 1);
    },
  },
  {
    name: 'create only one campaign draft if the plan allows one more',
    async ready({ api, device, cluster }) {
      const draft = { name: 'x', session_id: idOf(device), message_type: 'text', body: 'hi' };
      for (let nth = 0; nth < 2; nth += 1) assert.equal((await api('POST', '/v1/blasts', draft)).status, 201);
      await cluster.clock.advance(120_000);
      return (call) => call('POST', '/v1/blasts', draft);
    },
    callers: 4,
    answers: { 201: 1, 402: 3 },
  },
  {
    name: 'add only one recipient list if the plan has room for one',
    async ready({ api, device }) {
      const { id } = (await api('POST', '/v1/blasts', { name: 'x', session_id: idOf(device), message_type: 'text', body: 'hi' })).body;
      return (call, nth) =>
        call('POST', `/v1/blasts/${id}/recipients`, {
          recipients: Array.from({ length: 6 }, (_, at) => ({ phone: `+62812${nth}00000${at}0` })),
        });
    },
    answers: { 200: 1, 402: 5 },
    async after({ api }) {
      const { blasts } = (await api('GET', '/v1/blasts')).body;
      assert.equal(blasts[0].total_recipients, 6);
    },
  },
  {
    name: 'start a campaign only once',
    async ready({ api, device }) {
      const recipients = [{ phone: `+${ANNA}` }];
      const { id } = (
        await api('POST', '/v1/blasts', {
          name: 'x',
          session_id: idOf(device),
          message_type: 'text',
          body: 'hi',
          recipients,
          consent_attested: true,
        })
      ).body;
      return (call) => call('POST', `/v1/blasts/${id}/start`, { consent_attested: true });
    },
    answers: { 200: 1, 409: 5 },
  },
  {
    name: 'use a refresh token only once',
    async ready({ tenant }) {
      const { refresh_token } = tenant.tokens;
      return (call) => call('POST', '/auth/refresh', { refresh_token });
    },
    answers: { 200: 1, 401: 5 },
  },
];

const SECTIONS = [
  { send_window: { start: '07:00' } },
  { welcome: { text: 'hi' } },
  { away: { text: 'later' } },
  { warmup: { days: 3 } },
  { pacing: { typing: true } },
  { send_window: { end: '21:00' } },
];
const CONSENT = [
  { enabled: true },
  { optout_reply: 'bye' },
  { optin_reply: 'hi' },
  { enforce_api: true },
  { require_attestation: false },
  { enabled: true },
];
