import assert from 'node:assert/strict';
import { newId } from '../../../runtime/ids.ts';
import { owned, type Race, type World } from './race.ts';

/** One place is left of `limit`; six make something of different names. */
const lastPlaceOf = (
  name: string,
  path: string,
  { collection, limit, body, row }: { collection: string; limit: number; body(nth: number): object; row(nth: number): object },
): Race => ({
  name: `create only one of the ${name} if a single one is left of ${limit}`,
  async ready(world) {
    await world.fill(collection, limit - 1, (nth) => ({
      key: `k${nth}`,
      ...owned(world),
      ...row(nth),
    }));
    return (api, nth) => api('POST', path, body(limit + nth));
  },
  answers: { 201: 1, 402: 5 },
  async after({ api }) {
    const { body } = await api('GET', path);
    assert.equal((Object.values(body)[0] as unknown[]).length, limit);
  },
});

const sameName = (name: string, path: string, body: object): Race => ({
  name: `create a ${name} with the same key only once`,
  ready: async () => (api) => api('POST', path, body),
  answers: { 201: 1, 409: 5 },
});

const named = (nth: number) => ({ name: `N${nth}` });
const rules = { all: [{ field: 'name', op: 'is', value: 'x' }] };

/** Tags, groups, attributes, segments, templates, contacts and API keys. */
export const NAMED: readonly Race[] = [
  lastPlaceOf('tags', '/v1/tags', { collection: 'tags', limit: 1_000, body: named, row: (nth) => ({ ...named(nth), color: '#000000' }) }),
  lastPlaceOf('groups', '/v1/contact-groups', { collection: 'contact_groups', limit: 1_000, body: named, row: named }),
  lastPlaceOf('attributes', '/v1/attributes', {
    collection: 'attributes',
    limit: 200,
    body: (nth) => ({ key: `a${nth}` }),
    row: () => ({ label: 'l', type: 'text' }),
  }),
  lastPlaceOf('segments', '/v1/segments', {
    collection: 'segments',
    limit: 200,
    body: (nth) => ({ ...named(nth), rules }),
    row: (nth) => ({ ...named(nth), rules }),
  }),
  lastPlaceOf('templates', '/v1/templates', {
    collection: 'templates',
    limit: 1_000,
    body: (nth) => ({ ...named(nth), body: 'hi' }),
    row: (nth) => ({ ...named(nth), message_type: 'text', body: 'hi', language: 'en', media_r2_key: null, caption: null, pack: null }),
  }),
  sameName('tag', '/v1/tags', { name: 'VIP' }),
  sameName('template', '/v1/templates', { name: 'Hello', body: 'hi' }),
  sameName('contact', '/v1/contacts', { phone: '+6281211119999' }),
  {
    name: 'create only one contact whose new tag is the last allowed one',
    async ready(world) {
      await world.fill('tags', 999, (nth) => ({ key: `k${nth}`, name: `k${nth}`, color: '#000000', ...owned(world) }));
      return (api, nth) => api('POST', '/v1/contacts', { phone: `+62812111188${nth}0`, tags: [`new ${nth}`] });
    },
    answers: { 201: 1, 402: 5 },
    async after({ api }) {
      assert.equal((await api('GET', '/v1/tags')).body.tags.length, 1_000);
    },
  },
  {
    name: 'change different fields of one contact without losing any change',
    async ready({ api }) {
      const { id } = (await api('POST', '/v1/contacts', { phone: '+6281211119998' })).body;
      return (call, nth) => call('PATCH', `/v1/contacts/${id}`, nth === 5 ? { name: 'Anna' } : { [`var${nth + 1}`]: `v${nth}` });
    },
    answers: { 200: 6 },
    async after({ api }) {
      const [one] = (await api('GET', '/v1/contacts')).body.contacts;
      assert.deepEqual([one.name, one.var1, one.var2, one.var3, one.var4, one.var5], ['Anna', 'v0', 'v1', 'v2', 'v3', 'v4']);
    },
  },
  {
    name: 'leave no contacts in a group that is deleted while contacts are added to it',
    async ready({ api }) {
      const { id } = (await api('POST', '/v1/contact-groups', { name: 'Gone' })).body;
      return (call, nth) =>
        nth === 3
          ? call('DELETE', `/v1/contact-groups/${id}`).then((answer) => ({ ...answer, status: 201 }))
          : call('POST', '/v1/contacts', { phone: `+62812111177${nth}0`, group_id: id }).then((answer) => ({
              ...answer,
              status: answer.status === 400 || answer.status === 201 ? 201 : answer.status,
            }));
    },
    answers: { 201: 6 },
    async after({ api }) {
      for (const one of (await api('GET', '/v1/contacts')).body.contacts) assert.equal(one.group_id, null);
    },
  },
  {
    name: 'create only one API key if the plan allows one more',
    async ready({ api }) {
      for (const name of ['a', 'b']) await api('POST', '/v1/api-keys', { name });
      return (call, nth) => call('POST', '/v1/api-keys', { name: `n${nth}` });
    },
    answers: { 201: 1, 402: 5 },
  },
  {
    name: 'create exactly one primary key among the first API keys',
    ready: async () => (call, nth) => call('POST', '/v1/api-keys', { name: `n${nth}` }),
    answers: { 201: 3, 402: 3 },
    async after({ api }) {
      const { api_keys } = (await api('GET', '/v1/api-keys')).body;
      assert.equal(api_keys.filter(({ primary }: { primary: boolean }) => primary).length, 1);
    },
  },
  {
    name: 'renew only one expired API key if the plan allows one more',
    async ready(world) {
      const { cluster, api, fill } = world;
      const expires_at = cluster.clock.now() - 1_000;
      await fill('api_keys', 6, (nth) => ({ _id: keyIds[nth], ...keyRow(world, nth), expires_at }));
      await fill('api_keys', 1, () => ({ _id: newId(1), ...keyRow(world, 7), primary: true, expires_at: null }));
      await api('POST', '/v1/api-keys', { name: 'second' });
      return (call, nth) => call('PATCH', `/v1/api-keys/${keyIds[nth]}`, { expires_at: cluster.clock.now() + 86_400_000 });
    },
    answers: { 200: 1, 402: 5 },
  },
  {
    name: 'leave exactly one valid secret after rotations of one API key',
    async ready({ api }) {
      const { id } = (await api('POST', '/v1/api-keys', { name: 'a' })).body;
      return (call) => call('POST', `/v1/api-keys/${id}/rotate`);
    },
    answers: { 200: 6 },
    async after({ nodes }, answers) {
      const works = await Promise.all(answers.map(async ({ body }) => (await nodes[0]!.as(body.key)('GET', '/v1/sessions')).status));
      assert.equal(works.filter((status) => status === 200).length, 1, 'one of the secrets is the key');
    },
  },
];

const keyIds = Array.from({ length: 6 }, () => newId(2));
const keyRow = ({ tenant }: World, nth: number) => ({
  tenant_id: tenant.id,
  created_at: 1_700_000_000_000,
  name: 'k',
  prefix: 'abcdefgh',
  hash: `${tenant.id}${nth}`,
  session_ids: null,
  scopes: ['read'],
  allowed_ips: null,
  rate_limit_per_minute: 300,
  primary: false,
  last_used_at: null,
  revoked_at: null,
});
