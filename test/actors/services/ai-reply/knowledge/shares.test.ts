import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createKnowledgeService, type KnowledgeService } from '../../../../../actors/services/ai-reply/knowledge/knowledge-service.ts';
import { newId } from '../../../../../runtime/ids.ts';
import { safeText } from '../../../../../runtime/safe-text.ts';
import { VirtualClock } from '../../../../../runtime/testing/virtual-clock.ts';
import { savedAnswersIn } from '../../../../../store/ai-reply/answers.ts';
import { documentsIn } from '../../../../../store/ai-reply/documents.ts';
import { type AiTenant, aiSettingsIn } from '../../../../../store/ai-reply/settings.ts';
import { eachStore, type Scope, type StoreKind } from '../../../../support/stores.ts';

const MOST = 100;
const QUESTION = safeText('Can I pay when it arrives?');

interface Fixture {
  readonly service: KnowledgeService;
  readonly clock: VirtualClock;
  /** Whose answers were read to make an index. */
  readonly built: string[];
  /** Makes a tenant's index, and reads its settings for the last time. */
  ready(tenantId: string): Promise<void>;
}

/** A node's knowledge of two tenants, who know one answer each. */
async function aService(scope: Scope, kind: StoreKind): Promise<Fixture> {
  const clock = new VirtualClock();
  const built: string[] = [];
  const all = (tenantId: string) => {
    built.push(tenantId);
    return savedAnswers.all(tenantId);
  };
  const store = await kind.fresh(scope);
  const [aiSettings, savedAnswers, documents] = [aiSettingsIn(store), savedAnswersIn(store), documentsIn(store)];
  await store.prepare();
  for (const tenant_id of ['flooding', 'quiet']) {
    const common = { tenant_id, wordings: [], source: 'manual', created_at: 1, updated_at: 1 } as const;
    await savedAnswers.add({ _id: newId(1), ...common, question: QUESTION, answer: safeText('Yes, in cash.') }, 10);
  }
  // Read ahead: else whose question comes to the thread first is the store's decision, and no matter of this test.
  const settled = new Map<string, AiTenant>();
  const find = async (tenantId: string) => settled.get(tenantId) ?? aiSettings.find(tenantId);
  const service = createKnowledgeService({ aiSettings: { ...aiSettings, find }, savedAnswers: { all }, documents, embedder: null, clock });
  const ready = async (tenantId: string) => {
    await service.consult(tenantId, QUESTION);
    settled.set(tenantId, await aiSettings.find(tenantId));
  };
  scope.after(() => service.close());
  return { service, clock, built, ready };
}

eachStore('the shared thread of the knowledge index', (kind) => {
  it('queues up to a hundred questions from one tenant, and answers other tenants in between', async (t) => {
    const { service, ready } = await aService(t, kind);
    await ready('flooding');
    await ready('quiet');
    let answered = 0;
    const flood = Promise.allSettled(
      Array.from({ length: MOST + 20 }, () => service.consult('flooding', QUESTION).then(() => (answered += 1))),
    );
    const before = await service.consult('quiet', QUESTION).then(() => answered);
    const outcomes = await flood;
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
    assert.deepEqual(
      refused,
      Array.from({ length: 20 }, () => 'OVERLOADED'),
    );
    assert.ok(before < 5, `${before} questions of the other tenant came first`);
    await service.consult('flooding', QUESTION);
  });

  it('drops the index of an inactive business, and keeps the indexes of active ones', async (t) => {
    const { service, clock, built } = await aService(t, kind);
    for (const tenant of ['flooding', 'quiet']) await service.consult(tenant, QUESTION);
    for (let minute = 0; minute < 11; minute += 1) {
      await clock.advance(60_000);
      await service.consult('flooding', QUESTION);
    }
    assert.deepEqual(built, ['flooding', 'quiet']);
    assert.equal((await service.consult('quiet', QUESTION)).found.answers[0]?.text, 'Yes, in cash.');
    assert.deepEqual(built, ['flooding', 'quiet', 'quiet']);
  });
});
