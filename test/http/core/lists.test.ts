import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RowFacts } from '../../../http/core/engine.ts';
import { describe as describeSchema } from '../../../http/core/joi-reflection.ts';
import { aGateway } from '../../support/gateway.ts';
import { embedded, type Scope } from '../../support/stores.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** Whole lists: how many records they have at most, and how many bytes of JSON one has; or what refuses more than 4 MB. */
const BOUNDED: Readonly<Record<string, { readonly most: number; readonly bytes: number } | string>> = {
  listSessions: { most: 1_000, bytes: 4_000 },
  listAgents: { most: 500, bytes: 1_000 },
  listLogins: { most: 1_000, bytes: 1_000 },
  listPasskeys: { most: 20, bytes: 1_000 },
  listContactGroups: { most: 1_000, bytes: 1_500 },
  listTags: { most: 1_000, bytes: 1_500 },
  listAttributes: { most: 200, bytes: 2_000 },
  getAttention: { most: 4_000, bytes: 300 },
  getReceipts: { most: 1_025, bytes: 600 },
  listChatNotes: 'withNote in actors/services/conversations/notes.ts',
  listTemplates: 'expectListable in actors/services/contacts/labels.ts',
  listSegments: 'expectListable in actors/services/contacts/labels.ts',
  listAutoReplies: 'listable in actors/services/auto-reply/rules.ts',
  listDocuments: { most: 200, bytes: 8_000 },
  listWebhooks: { most: 50, bytes: 20_000 },
  listStores: { most: 100, bytes: 40_000 },
  listStoreEvents: { most: 50, bytes: 8_000 },
  getConsentHistory: { most: 1_000, bytes: 4_000 },
  getAnalyticsDevices: { most: 2_000, bytes: 2_000 },
  getAnalyticsAgents: { most: 501, bytes: 2_000 },
  getAnalyticsBlasts: { most: 500, bytes: 2_000 },
  listPlans: 'the configuration',
  listOnboardingPacks: 'the sources',
  listNodes: 'the cluster: one record a node',
};

/** Answers with an array among their fields that are one record, or figures over a time that the query names. */
const NO_LISTS: ReadonlySet<string> = new Set([
  ...['getMe', 'getAnalyticsDaily', 'getAnalyticsHourly', 'getErasure', 'getSessionHealth', 'getMessage', 'getRecurring', 'getRotator'],
  ...['getVotes', 'getGroup', 'getCommunity', 'getBusinessProfile', 'getStatus', 'getChat', 'getContact', 'getContactImport'],
  ...['getOnboarding', 'getOnboardingPack', 'getConsentConfig', 'getAiReply', 'getWebhook', 'getDelivery', 'getBilling'],
  ...[
    'verifyAudit',
    'getUsage',
    'getBillingOptions',
    'getInvoice',
    'getProfile',
    'getTenant',
    'getTenantHealth',
    'getBlast',
    'getCallRules',
    'getTemplate',
    'getMoveIn',
  ],
  ...['getDocument', 'getSettings', 'getAnalyticsAnswers', 'getAnalyticsCosts'],
]);

/** Lists that take `limit` and are as short as it. */
const SHORT: ReadonlySet<string> = new Set(['listChannelFollowers', 'getAdminBilling', 'getAdminPrices', 'listIdentities']);

const fieldsOf = (schema: RowFacts['returns']) => describeSchema(schema).keys ?? {};
const hasArray = (row: RowFacts): boolean => Object.values(fieldsOf(row.returns)).some(({ type }) => type === 'array');
const hasPages = ({ returns, query }: RowFacts): boolean => {
  const [answer, asked] = [fieldsOf(returns), query ? fieldsOf(query) : {}];
  return ('next_before' in answer && 'before' in asked) || ('next' in answer && 'after' in asked);
};

/** The rows that answer something with an array. */
async function rowsOf(scope: Scope): Promise<readonly RowFacts[]> {
  const { node } = await aGateway(scope, { kind: embedded });
  const rows = node.http.rows.filter((row) => row.method === 'GET' && hasArray(row));
  assert.ok(rows.length > 60, `${rows.length} answers with arrays`);
  return rows;
}

describe('every list', () => {
  it('is paged, is documented as short, or is a listed exception', async (t) => {
    const rows = await rowsOf(t);
    const unclear = rows.filter((row) => {
      const kinds = [hasPages(row), !hasPages(row) && row.list !== undefined, NO_LISTS.has(row.id), SHORT.has(row.id)];
      return kinds.filter(Boolean).length !== 1 || row.id in BOUNDED !== kinds[1];
    });
    assert.deepEqual(
      unclear.map(({ id }) => id),
      [],
    );
    const ids = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      [...Object.keys(BOUNDED), ...NO_LISTS, ...SHORT].filter((id) => !ids.has(id)),
      [],
    );
    for (const [id, bound] of Object.entries(BOUNDED))
      if (typeof bound !== 'string') assert.ok(bound.most * bound.bytes <= MAX_BYTES, `${id}: more than 4 MB`);
  });

  it('accepts a limit of 1 and rejects any lower limit', async (t) => {
    for (const { id, query } of (await rowsOf(t)).filter((row) => !NO_LISTS.has(row.id))) {
      assert.ok(query, `${id} takes no query`);
      assert.equal(query.validate({ limit: '1' }).error, undefined, id);
      assert.ok(query.validate({ limit: '0' }).error, `${id} takes a limit of 0`);
    }
  });
});
