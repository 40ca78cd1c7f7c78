import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJson } from '../../../http/core/body.ts';
import { longJson } from '../../../http/core/long-json.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import { at } from '../../../runtime/invariant.ts';
import { seededRandom } from '../../../runtime/random.ts';
import { leastOfThree } from '../../support/turns.ts';

const MB = 1024 * 1024;
const RANDOM_TEXTS = 4_000;

/** The value, or the code of the refusal. */
async function outcome(read: () => unknown): Promise<unknown> {
  try {
    return { value: await read() };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return cause.code;
  }
}

const inSlices = (text: string | Buffer, maxKeys = 2_000): Promise<unknown> =>
  longJson(Buffer.from(text), { maxKeys, turn: async () => {}, sliceBytes: 7, partBytes: 12 });

const TEXTS: readonly string[] = [
  '{}',
  ' {"a" : [ ] , "b":[[ ]], "c":[1] } ',
  '{"a":[1,2,3],"b":{"a":[4,5]},"c":"[,]","d":["\\"],[", "\\\\", "é", "\\u00e9"]}',
  '{"a":[{"x":[1,{"y":[]}]},{"x":[2]},null,true,-1.5e3]}',
  '{"a":[1],"a":[2,3]}',
  '[1,[2,3],{"a":[4]}]',
  '"text"',
  '12',
  'null',
  '{"a":[1,]}',
  '{"a":[,1]}',
  '{"a":[1,2,3,4,5,6,7,8,9,10,11,12,]}',
  '{"a":[1,2,3,4,5,6,7,,8,9]}',
  '{"a":[1 2]}',
  '{"a":[1}',
  '{"a":[1}]',
  '{"a":[1]]}',
  '{"a":["x]}',
  '{"a":[1]',
  '{"a":[1]}}',
  '{"a":[1]} 1',
  '{"a":[1],}',
  '{"a":[\\"]}',
  '{"a":[tru]}',
  '{"a":[1],"b"}',
  '{"":[1,{"a":2}]}',
  '{"__proto__":[1]}',
  '{"a":[{"__proto__":1}]}',
  '{"a":["\\ud800"]}',
  '{"a":["ok"],"b":"\\ud800"}',
  '\ufeff{"a":[1]}',
];

describe('a long JSON body', () => {
  it('is parsed to the same result as a short one, or rejected in the same way', async () => {
    const random = seededRandom(7);
    const mutated = Array.from({ length: RANDOM_TEXTS }, () => {
      const text = at(TEXTS, Math.floor(random() * TEXTS.length));
      const place = Math.floor(random() * text.length);
      const mark = at(['"', '\\', '[', ']', '{', '}', ',', ':', '1', ' ', 'é'], Math.floor(random() * 11));
      return text.slice(0, place) + mark + text.slice(place + Math.floor(random() * 3));
    });
    for (const text of TEXTS)
      assert.deepEqual(await outcome(() => inSlices(text)), await outcome(() => parseJson(Buffer.from(text))), text);
    // Of two faults either may be named.
    const refused = (one: unknown): unknown => (typeof one === 'string' ? 'refused' : one);
    for (const text of mutated)
      assert.deepEqual(refused(await outcome(() => inSlices(text))), refused(await outcome(() => parseJson(Buffer.from(text)))), text);
  });

  it('is rejected for the same reasons as a short one: too deep, too wide or not UTF-8', async () => {
    const wide = JSON.stringify({ list: Array.from({ length: 1_001 }, (_, nth) => ({ a: nth, b: nth })) });
    const texts = [wide, '['.repeat(40) + ']'.repeat(40), `{"a":${'{"a":'.repeat(40)}1${'}'.repeat(41)}`];
    for (const text of texts) assert.equal(await outcome(() => inSlices(text)), await outcome(() => parseJson(Buffer.from(text))));
    assert.equal(await outcome(() => inSlices(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))), 'INVALID_JSON');
  });

  it('may contain many records, but only a limited number of keys per record', async () => {
    const record = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, nth) => [`k${nth}`, nth]));
    const lists = { one: Array.from({ length: 1_000 }, () => record(4)), other: ['x'], text: 'y' };
    assert.deepEqual(await inSlices(JSON.stringify(lists), 30_000), lists);
    assert.equal(await outcome(() => inSlices(JSON.stringify({ list: [record(2_001)] }), 30_000)), 'VALIDATION_FAILED');
    assert.equal(await outcome(() => inSlices(JSON.stringify(record(2_001)), 30_000)), 'VALIDATION_FAILED');
    assert.equal(await outcome(() => inSlices(`{"list":["${'x'.repeat(MB + 1)}"]}`, 30_000)), 'PAYLOAD_TOO_LARGE');
    assert.equal(await outcome(() => inSlices(`{"text":"${'x'.repeat(MB + 1)}"}`, 30_000)), 'PAYLOAD_TOO_LARGE');
  });

  it('never blocks the event loop for long, even with four hostile megabytes', async () => {
    const size = 4 * MB - 100;
    const records = Array.from({ length: 10_000 }, (_, nth) => ({
      phone: `+62812${10_000_000 + nth}`,
      ...Object.fromEntries('abcdefg'.split('').map((name) => [name, name.repeat(40)])),
    }));
    const bodies: Readonly<Record<string, string>> = {
      records: JSON.stringify({ recipients: records }),
      lists: '['.repeat(size),
      numbers: `{"a":[${'1,'.repeat(size / 2)}1]}`,
      'one number': `{"a":${'1'.repeat(size)}}`,
      escapes: `{"a":["${'\\u0000'.repeat(size / 6)}"]}`,
      'short escapes': `{"a":[${`"${'\\u0000'.repeat(100)}",`.repeat(size / 603)}1]}`,
      spaces: `{"a":[${' '.repeat(size)}]}`,
      quotes: `{"a":[${'"",'.repeat(size / 3)}""]}`,
      keys: `{"a":[${'{"b":1},'.repeat(size / 8)}1]}`,
      'empty lists': `{"a":[${'[],'.repeat(size / 3)}1]}`,
    };
    for (const [name, text] of Object.entries(bodies)) {
      const bytes = Buffer.from(text);
      const ms = await leastOfThree(() => outcome(() => longJson(bytes, { maxKeys: 80_000, turn: () => fairSlices.turn('T') })));
      assert.ok(ms < 25, `${name}: ${ms} ms in one turn`);
    }
  });
});
