import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseEmbeddings, vectorsOf } from '../../../../../actors/services/ai-reply/engine/embeddings-answer.ts';
import { KnowledgeIndex, type Unit } from '../../../../../actors/services/ai-reply/retrieval/knowledge-index.ts';
import { cosine, fromText, fused, quantized, toText } from '../../../../../actors/services/ai-reply/retrieval/vectors.ts';
import { present } from '../../../../../runtime/invariant.ts';
import { safeText } from '../../../../../runtime/safe-text.ts';
import { leastOfThree } from '../../../../support/turns.ts';

const vector = (...numbers: readonly number[]) => present(quantized(numbers), 'a vector');

describe('embedding vectors', () => {
  it('keep their direction when reduced to one byte per dimension and stored', () => {
    const [one, other] = [
      [0.31, -0.72, 0.05, 0.4],
      [0.3, -0.1, 0.9, -0.2],
    ];
    const exact = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0) / (Math.hypot(...one) * Math.hypot(...other));
    assert.ok(Math.abs(cosine(vector(...one), vector(...other)) - exact) < 0.02);
    assert.ok(cosine(vector(...one), vector(...one.map((value) => value * 1_000))) > 0.999);
    assert.deepEqual(fromText(toText(vector(...one))), vector(...one));
    assert.deepEqual(
      [quantized([0, 0]), quantized([Number.NaN, 1]), quantized([Number.POSITIVE_INFINITY]), quantized([])],
      [null, null, null, null],
    );
  });

  it('move a close candidate up in the ranking, but never a candidate without a vector', () => {
    const places: Readonly<Record<string, Int8Array>> = { a: vector(0, 1), b: vector(0.1, 1), c: vector(1, 0), odd: vector(1, 0, 0) };
    const order = (...names: readonly string[]) => fused(names, vector(1, 0), (name) => places[name]).join();
    assert.equal(order('a', 'c', 'b'), 'c,a,b');
    assert.equal(order('a', 'c'), 'c,a', 'of two that are equal the nearer');
    assert.equal(order('none', 'c'), 'none,c');
    assert.equal(order('odd', 'none'), 'odd,none');
  });

  it('are parsed in ticks of a few milliseconds, even from megabytes of data', async () => {
    const embedding = Array.from({ length: 4_096 }, (_, nth) => Math.sin(nth + 1));
    const bytes = Buffer.from(JSON.stringify({ object: 'list', data: Array.from({ length: 32 }, (_, index) => ({ index, embedding })) }));
    const ms = await leastOfThree(async () => {
      assert.equal((await vectorsOf(await parseEmbeddings(bytes), 32))?.length, 32);
    });
    assert.ok(ms < 25, `${ms} ms`);
  });

  it('are rejected unless the response contains exactly one valid vector per text', async () => {
    const answer = (...vectors: readonly (readonly unknown[])[]) => ({ data: vectors.map((embedding, index) => ({ index, embedding })) });
    const good = answer([1, 0], [0, 1]);
    assert.equal((await vectorsOf(good, 2))?.length, 2);
    assert.deepEqual(await vectorsOf({ data: good.data.toReversed() }, 2), await vectorsOf(good, 2));
    for (const [why, bad] of [
      ['fewer', answer([1, 0])],
      ['more', answer([1, 0], [0, 1], [1, 1])],
      ['another dimension', answer([1, 0], [0, 1, 0])],
      ['no number', answer([1, 0], [null, 1])],
      ['text', answer([1, 0], ['1', '0'])],
      ['no direction', answer([1, 0], [0, 0])],
      ['empty', answer([1, 0], [])],
      [
        'too many dimensions',
        answer(
          [1, 0],
          Array.from({ length: 5_000 }, () => 1),
        ),
      ],
      ['one twice', { data: [good.data[0], good.data[0]] }],
      ['an index outside', { data: [good.data[0], { index: 7, embedding: [1, 0] }] }],
      ['a page', '<html>'],
      ['null', null],
    ] as const)
      assert.equal(await vectorsOf(bad, 2), null, why);
  });

  it('change the order of passages that match the question, but never add or remove a passage', () => {
    const passage = (id: string, text: string, at?: Int8Array): Unit => ({
      kind: 'document',
      id,
      name: 'x',
      heading: '',
      text: safeText(text),
      ...(at && { vector: at }),
    });
    const near = { vector: vector(1, 0), atLeast: 0.4 };
    const found = (...units: readonly Unit[]): string => {
      const index = new KnowledgeIndex();
      for (const unit of units) index.add(unit);
      index.pack();
      return index
        .searchNear(safeText('garansi mesin'), near, 5)
        .map(({ unit }) => unit.id)
        .join();
    };
    const [first, second] = ['garansi mesin', 'garansi mesin berlaku lama sekali untuk semua pembeli'];
    const elsewhere = passage('elsewhere', 'resep rendang', vector(1, 0));
    assert.equal(found(passage('a', first), passage('b', second)), 'a,b');
    assert.equal(
      found(passage('a', first, vector(0, 1)), passage('b', second, vector(1, 0)), passage('c', second, vector(0.9, 0.1)), elsewhere).slice(
        0,
        1,
      ),
      'b',
    );
    // Half of a document has vectors: none of it is placed by them.
    assert.equal(found(passage('a', first, vector(0, 1)), passage('b', second, vector(1, 0)), passage('b', 'harga pas')), 'a,b');
  });
});
