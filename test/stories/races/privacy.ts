import assert from 'node:assert/strict';
import { owned, type Race } from './race.ts';

const KINDS = ['messages', 'media', 'webhooks', 'audit'] as const;
const YEAR_MS = 365 * 86_400_000;

/** Exports, holds, how long is kept what, the end of an account. */
export const PRIVACY: readonly Race[] = [
  {
    name: 'create only one export if nine of ten exist',
    async ready(world) {
      const { cluster, fill } = world;
      const now = cluster.clock.now();
      await fill('privacy_exports', 9, () => ({
        ...owned(world, now),
        ...{ of: 'tenant', status: 'done', open: false, step: 9, after: null, failures: 0, claimed_until: 0, counts: {} },
        ...{ done_at: now, expires_at: now + YEAR_MS },
      }));
      return (call) => call('POST', '/v1/privacy/exports', {});
    },
    answers: { 202: 1, 402: 5 },
    async after({ api }) {
      assert.equal((await api('GET', '/v1/privacy/exports?limit=100')).body.exports.length, 10);
    },
  },
  {
    name: 'create only one erasure if 999 of 1,000 are open',
    async ready(world) {
      const [now, never] = [world.cluster.clock.now(), world.cluster.clock.now() + YEAR_MS];
      await world.fill('privacy_erasures', 999, (place) => ({
        ...owned(world, now),
        ...{ phone_hash: 'h', open: true, place, step: 0, claimed_until: never, counts: {}, done_at: null, proof: null },
      }));
      return (call, nth) => call('POST', '/v1/privacy/erasures', { phone: `+62812111166${nth}0`, confirm: true });
    },
    answers: { 202: 1, 402: 5 },
  },
  {
    name: 'set different retention periods without losing any change',
    ready: async () => (call, nth) => call('PUT', '/v1/privacy', { retention_days: { [KINDS[nth]!]: 90 + nth } }),
    callers: KINDS.length,
    answers: { 200: KINDS.length },
    async after({ api }) {
      const { pending } = (await api('GET', '/v1/privacy')).body;
      assert.deepEqual(pending.retention_days, { messages: 90, media: 91, webhooks: 92, audit: 93 });
    },
  },
  {
    name: 'leave exactly one of the requested holds in place',
    ready:
      async ({ cluster }) =>
      (call, nth) =>
        call('PUT', '/v1/privacy/hold', { reason: `case ${nth}`, until: cluster.clock.now() + YEAR_MS }),
    answers: { 200: 6 },
    async after({ api }, answers) {
      const { hold } = (await api('GET', '/v1/privacy')).body;
      assert.ok(answers.some(({ body }) => (body.hold ?? body).reason === hold.reason));
    },
  },
  {
    name: 'start one account deletion with a single effective date',
    ready: async () => (call) => call('DELETE', '/v1/account', { confirm: true }),
    // Logins end with the first one, and an account that ends serves nothing else.
    answers: null,
    after: async (_services, answers) => {
      const begun = answers.filter(({ status }) => status === 202).map(({ body }) => body.effective_at ?? body.deletion.effective_at);
      assert.ok(begun.length > 0 && answers.every(({ status }) => [202, 401, 403].includes(status)));
      assert.equal(new Set(begun).size, 1);
    },
  },
];
