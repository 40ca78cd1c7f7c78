import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Knowledge } from '../../../../../actors/services/ai-reply/retrieval/knowledge.ts';
import type { Unit } from '../../../../../actors/services/ai-reply/retrieval/knowledge-index.ts';
import { KnowledgeIndex } from '../../../../../actors/services/ai-reply/retrieval/knowledge-index.ts';
import { isQuestion, languageOf } from '../../../../../actors/services/ai-reply/retrieval/question.ts';
import { quoteOf, sentencesOf } from '../../../../../actors/services/ai-reply/retrieval/sentences.ts';
import { meaningsOf, wordsOf } from '../../../../../actors/services/ai-reply/retrieval/terms.ts';
import { seededRandom } from '../../../../../runtime/random.ts';
import { safeText } from '../../../../../runtime/safe-text.ts';
import { bakery } from '../../../../../scripts/bench/ai/bakery.ts';
import { clothesShop } from '../../../../../scripts/bench/ai/clothes-shop.ts';
import { dentalClinic } from '../../../../../scripts/bench/ai/dental-clinic.ts';
import { judge, judgeAll, judgeParts, knowledgeOf } from '../../../../../scripts/bench/ai/judge.ts';
import { EVALUATION_SETS, FIRST_SIGHT_SETS } from '../../../../../scripts/bench/ai/sets.ts';

describe('the local search for answers', () => {
  for (const set of [clothesShop, dentalClinic, bakery])
    it(`meets the quality thresholds for a ${set.name}`, () => {
      const judged = judge(set);
      assert.ok(judged.answered >= 0.75, `answered ${judged.answered}`);
      assert.ok(judged.right >= 0.92, `right ${judged.right}`);
      assert.ok(Math.round(judged.false * set.unanswerable.length) <= 2, `false ${judged.false}`);
    });

  it('meets the quality thresholds for all businesses together', () => {
    const { asked: questions, answered, right, unanswerable, wrong } = judgeAll(EVALUATION_SETS);
    assert.ok(answered / questions >= 0.77, `answered ${answered} of ${questions}`);
    assert.ok(right / answered >= 0.94, `right ${right} of ${answered}`);
    assert.ok(wrong / unanswerable <= 0.03, `false ${wrong} of ${unanswerable}`);
    for (const { asked } of EVALUATION_SETS)
      assert.deepEqual(
        asked.filter(([text]) => !isQuestion(safeText(text))),
        [],
      );
  });

  it('meets the quality thresholds for five trades that have no word list', () => {
    const { asked, answered, right, unanswerable, wrong } = judgeAll(FIRST_SIGHT_SETS);
    assert.deepEqual([asked, unanswerable], [200, 200]);
    assert.ok(answered >= 150, `answered ${answered}`);
    assert.ok(right / answered >= 0.95, `right ${right}`);
    assert.ok(wrong <= 6, `false ${wrong}`);
  });

  // Every answer alone, in pairs and in threes: nobody begins with twenty.
  for (const size of [1, 2, 3])
    it(`meets the quality thresholds for a business with few saved answers (${size})`, () => {
      for (const set of [clothesShop, dentalClinic]) {
        const { asked, answered, right, unanswerable, wrong } = judgeParts(set, size);
        assert.ok(answered / asked >= 0.75, `${set.name}: answered ${answered} of ${asked}`);
        assert.ok(right / answered >= 0.95, `${set.name}: right ${right} of ${answered}`);
        assert.ok(wrong / unanswerable <= 0.03, `${set.name}: false ${wrong} of ${unanswerable}`);
      }
    });

  it('estimates its own quality for a business, and makes more mistakes with a lower threshold', () => {
    const knowledge = knowledgeOf(clothesShop);
    const { quality } = knowledge.calibration(null);
    const generous = knowledge.calibration(0.05).quality;
    assert.ok(quality.answered > 0.8 && quality.right > 0.9 && quality.false < 0.1, JSON.stringify(quality));
    assert.ok(generous.false > quality.false, JSON.stringify(generous));
    assert.deepEqual(knowledge.calibration(0.8).thresholds, { answers: 0.8, passages: 0.9 });
  });
});

describe("a customer's question", () => {
  it('is more than a greeting, thanks or a single letter', () => {
    for (const text of [
      'p',
      'P',
      'halo',
      'halo kak',
      'ok makasih',
      '👍🙏',
      'selamat pagi min',
      'thank you so much',
      '...',
      '?',
      'siap',
      'ya',
    ])
      assert.equal(isQuestion(safeText(text)), false, text);
    for (const text of ['harga?', 'ongkir brp', 'do you ship', 'halo kak mau tanya ongkir'])
      assert.equal(isQuestion(safeText(text)), true, text);
  });

  it('is assumed to be in the language of its words, or in the default language if the words give no hint', () => {
    assert.equal(languageOf(safeText('berapa ongkirnya kak'), 'en'), 'id');
    assert.equal(languageOf(safeText('how much is it'), 'id'), 'en');
    assert.equal(languageOf(safeText('Rp 5000'), 'id'), 'id');
    assert.equal(languageOf(safeText('COD?'), 'en'), 'en');
  });

  it('is normalized for slang, stretched letters, accents and invisible characters', () => {
    assert.deepEqual(meaningsOf(safeText('brp ongkirnya kak?')), ['harga', 'kirim']);
    assert.deepEqual(meaningsOf(safeText('how much is shipping')), ['harga', 'kirim']);
    assert.deepEqual(wordsOf(safeText('BANGEEEET Café o\u2019clock')), ['banget', 'cafe', 'oclock']);
    assert.deepEqual(meaningsOf(safeText('bisa bayar di tempat?')), ['cod']);
    assert.deepEqual(meaningsOf(safeText('cash on delivery?')), ['cod']);
  });
});

describe('a search index', () => {
  const answer = (id: string, text: string, ...questions: string[]): Unit => ({
    kind: 'answer',
    id,
    questions: questions.map(safeText),
    text: safeText(text),
  });

  function indexOf(...units: readonly Unit[]): KnowledgeIndex {
    const index = new KnowledgeIndex();
    for (const unit of units) index.add(unit);
    index.pack();
    return index;
  }

  it('returns nothing for an empty index or an empty question', () => {
    assert.deepEqual(indexOf().search(safeText('harga'), 3), []);
    assert.deepEqual(indexOf(answer('a', 'Seribu.', 'Harga?')).search(safeText('kak'), 3), []);
  });

  it('finds an answer by a wording learned from customers, and returns the answer only once', () => {
    const index = indexOf(
      answer('cacat', 'Kami ganti.', 'Barang cacat', 'ada sobekan di kantongnya'),
      answer('jam', 'Jam 9.', 'Jam buka?'),
    );
    const hits = index.search(safeText('sobekan nya gede'), 5);
    assert.deepEqual(
      hits.map(({ unit }) => unit.id),
      ['cacat'],
    );
  });

  it('tolerates typos', () => {
    const index = indexOf(answer('a', 'Lima hari.', 'Lama perbaikan elektronik?'), answer('b', 'Jam 9.', 'Jam buka?'));
    assert.equal(index.search(safeText('elektronk'), 1)[0]?.unit.id, 'a');
  });

  it('gives a lower score if the question contains unknown words', () => {
    const index = indexOf(answer('a', 'Lima ribu.', 'Ongkos kirim?'), answer('b', 'Jam 9.', 'Jam buka?'));
    const [known] = index.search(safeText('ongkos kirim'), 1);
    const [strange] = index.search(safeText('ongkos kirim zebra sirkus'), 1);
    assert.equal(known?.score, 1);
    assert.ok(strange!.score < 0.6, String(strange?.score));
  });

  it('matches Indonesian colloquial verb forms, and English plurals and endings', () => {
    for (const [spoken, written] of [
      ['nyuci', 'cuci'],
      ['ngirim', 'kirim'],
      ['dimasakin', 'masak'],
      ['nyicilnya', 'cicilan'],
      ['milih', 'pilih'],
      ['ladies', 'lady'],
      ['parking', 'park'],
      ['renewed', 'renew'],
    ] as const)
      assert.deepEqual(meaningsOf(safeText(spoken)), meaningsOf(safeText(written)), spoken);
  });

  it('prefers the answer that contains the number from the question', () => {
    const index = indexOf(answer('a', 'Rp 9.000.', 'Harga paket 10 kaos?'), answer('b', 'Rp 5.000.', 'Harga paket 5 kaos?'));
    assert.equal(index.search(safeText('paket 5 kaos'), 1)[0]?.unit.id, 'b');
    assert.equal(index.search(safeText('harga paket kaos 7'), 1)[0]?.score, 1);
    assert.ok(index.search(safeText('harga paket kaos 12345'), 1)[0]!.score < 0.8);
  });

  it('gives a lower score to an answer that merely mentions the topic', () => {
    const index = indexOf(answer('a', 'Rp 500 a page, free for members.', 'Can I print?'), answer('b', 'At 9.', 'Opening hours?'));
    assert.ok(index.search(safeText('how many members'), 1)[0]!.score < 0.6);
    assert.equal(index.search(safeText('print'), 1)[0]?.score, 1);
  });

  it('finds an answer about pets in general for a question about cats', () => {
    const index = indexOf(answer('a', 'No.', 'Are pets allowed?'), answer('b', 'Jam 9.', 'Jam buka?'));
    const [hit] = index.search(safeText('bawa kucing'), 1);
    assert.equal(hit?.unit.id, 'a');
    assert.ok(hit.score < 1);
  });

  it('finds an answer only until it is removed', () => {
    const index = indexOf(answer('a', 'Lima ribu.', 'Ongkos kirim?'), answer('b', 'Jam 9.', 'Jam buka?'));
    assert.equal(index.search(safeText('ongkos kirim'), 2)[0]?.unit.id, 'a');
    assert.equal(
      index.search(safeText('ongkos kirim'), 2, 0).find(({ unit }) => unit.id === 'a'),
      undefined,
    );
  });
});

describe('document passages', () => {
  const guide =
    'Mesin kopi Aroma 300 memakai tekanan 15 bar. Bersihkan corong setiap minggu dengan air hangat. Garansi berlaku 24 bulan sejak tanggal pembelian. Kartu garansi harus dikirim ke Jl. Merdeka No. 5 Bandung.';

  it('are quoted by sentence, without splitting at abbreviations', () => {
    assert.equal(sentencesOf(guide).length, 4);
    const quote = quoteOf(guide, safeText('garansi mesin berapa lama'), () => 1);
    assert.match(quote, /24 bulan/);
    assert.doesNotMatch(quote, /corong/);
    assert.ok(quoteOf('kata '.repeat(400), safeText('kata'), () => 1).length <= 500);
  });

  it('are found in addition to answers, with the name of their document', () => {
    const knowledge = new Knowledge(seededRandom(1));
    knowledge.add([{ kind: 'document', id: 'd1', name: 'Buku panduan.pdf', heading: 'Garansi', text: safeText(guide) }]);
    knowledge.pack();
    const { answers, passages } = knowledge.find(safeText('garansi mesin kopi berapa bulan'));
    assert.deepEqual(answers, []);
    assert.equal(passages[0]?.name, 'Buku panduan.pdf');
    assert.ok(passages[0].score > 0.6, String(passages[0].score));
  });
});
