import assert from 'node:assert/strict';
import { it } from 'node:test';
import { noteUnanswered } from '../../../../../actors/services/ai-reply/conversation/unanswered.ts';
import { createKnowledgeService } from '../../../../../actors/services/ai-reply/knowledge/knowledge-service.ts';
import { AlikeQuestions } from '../../../../../actors/services/ai-reply/retrieval/alike.ts';
import { type SafeText, safeText } from '../../../../../runtime/safe-text.ts';
import { VirtualClock } from '../../../../../runtime/testing/virtual-clock.ts';
import { savedAnswersIn } from '../../../../../store/ai-reply/answers.ts';
import { documentsIn } from '../../../../../store/ai-reply/documents.ts';
import { aiSettingsIn } from '../../../../../store/ai-reply/settings.ts';
import { unansweredIn } from '../../../../../store/ai-reply/unanswered.ts';
import { eachStore, type Scope, type StoreKind } from '../../../../support/stores.ts';

/** What nobody answers, in a tenant `t`. */
async function aNotebook(scope: Scope, kind: StoreKind) {
  const store = await kind.fresh(scope);
  const unanswered = unansweredIn(store);
  const [aiSettings, savedAnswers, documents] = [aiSettingsIn(store), savedAnswersIn(store), documentsIn(store)];
  await store.prepare();
  const knowledge = createKnowledgeService({ aiSettings, savedAnswers, documents, embedder: null, clock: new VirtualClock() });
  scope.after(() => knowledge.close());
  return {
    unanswered,
    note(message_id: string, question: string): Promise<void> {
      const answering = [{ message_id, at: 1, text: question, is_handoff: false }];
      return noteUnanswered(
        { unanswered, knowledge },
        { _id: 'd:c', tenant_id: 't', session_id: 'd', chat_id: 'c', answering },
        question,
        1_000,
      );
    },
  };
}

const wordsOf = (nth: number): SafeText =>
  safeText(`apakah barang nomor${nth} warna${nth * 7} masih tersedia di cabang kota${nth * 3} hari ini kak`);

eachStore('an unanswered question', (kind) => {
  it('is compared with hundreds of others in a worker thread, which keeps the main thread free', async (t) => {
    const { unanswered, note } = await aNotebook(t, kind);
    const wordings = Array.from({ length: 10 }, (_, nth) => wordsOf(nth));
    const common = { tenant_id: 't', asked: 11, askers: [], messages: [] };
    for (let nth = 0; nth < 400; nth += 1) {
      const question = wordsOf(nth);
      await unanswered.add({
        _id: `q${nth}`,
        ...common,
        question,
        wordings: wordings.map((more) => safeText(`${question} ${more}`)),
        last_at: nth,
      });
    }
    // The thread starts, and what is compiled once is.
    await note('m1', 'apa saja');

    const before = process.threadCpuUsage();
    await note('m2', wordsOf(7));
    const noted = process.threadCpuUsage(before).user;
    assert.equal((await unanswered.find('t', 'q7'))?.asked, 12);
    const rows = await unanswered.list('t', 500);
    const between = process.threadCpuUsage();
    const known = new AlikeQuestions();
    known.add(rows.map(({ _id, question, wordings: others }) => ({ id: _id, questions: [question, ...others] })));
    assert.equal(known.find(wordsOf(7)), 'q7');
    assert.ok(noted < process.threadCpuUsage(between).user / 3, `${noted} µs`);
  });

  it('is truncated without splitting a character', async (t) => {
    const { unanswered, note } = await aNotebook(t, kind);
    await note('m1', `${'.'.repeat(492)}parkir 😀`);
    const [row] = await unanswered.list('t', 1);
    assert.ok(row?.question.isWellFormed(), row?.question.slice(-3));
  });

  it('is stored once if several people ask it in different words at the same time', async (t) => {
    const { unanswered, note } = await aNotebook(t, kind);
    await Promise.all(['ada parkir mobil ga?', 'parkir mobil ada?', 'bisa parkir mobil?'].map((text, nth) => note(`m${nth}`, text)));
    assert.deepEqual(
      (await unanswered.list('t', 9)).map(({ asked }) => asked),
      [3],
    );
  });
});
