import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import type { BinaryNode } from '@whiskeysockets/baileys';
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS } from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import * as theirs from '@whiskeysockets/baileys/lib/WABinary/encode.js';
import * as ours from '../../../../actors/network/whatsapp/session/encode-node.ts';
import { type Random, seededRandom } from '../../../../runtime/random.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const STANZAS = 2_000;

const TEXTS = [
  ...[
    '',
    ' ',
    '0',
    '12-3.4',
    '3EB0C767D26D8F2A41',
    'ab12',
    'é😀',
    'x'.repeat(99),
    'y'.repeat(101),
    '1'.repeat(127),
    '1'.repeat(128),
    'z'.repeat(300),
  ],
  ...[
    '6281100000001@s.whatsapp.net',
    '6281100000001:7@s.whatsapp.net',
    '99:1@lid',
    '99@lid',
    '1203-44@g.us',
    '@g.us',
    '5_1:2@hosted',
    '7:99@hosted.lid',
  ],
  ...['constructor', '__proto__', SINGLE_BYTE_TOKENS[9], DOUBLE_BYTE_TOKENS[1]?.[5], DOUBLE_BYTE_TOKENS[3]?.[200]].map(String),
];

describe('stanzas', () => {
  it('are written as the library writes them, to the byte', () => {
    const random = seededRandom(SEED);
    for (let nth = 0; nth < STANZAS; nth += 1) {
      const stanza = aStanza(random, 3);
      assert.deepEqual(ours.encodeBinaryNode(stanza), theirs.encodeBinaryNode(stanza), `SEED=${SEED}, ${JSON.stringify(stanza)}`);
    }
  });

  it('may be large, and then small again', () => {
    for (const size of [255, 256, 65_535, 70_000, (1 << 20) - 1, 1 << 20, 3]) {
      const stanza = { tag: 'enc', attrs: { v: '2' }, content: Buffer.alloc(size, 7) };
      assert.deepEqual(ours.encodeBinaryNode(stanza), theirs.encodeBinaryNode(stanza));
    }
    for (const size of [0, 1, 255, 256, 700]) {
      const stanza = {
        tag: 'list',
        attrs: {},
        content: Array.from({ length: size }, (_, nth) => ({ tag: 'item', attrs: { id: `${nth}` } })),
      };
      assert.deepEqual(ours.encodeBinaryNode(stanza), theirs.encodeBinaryNode(stanza));
    }
  });

  it('that are none are refused, as by the library', () => {
    const none: readonly unknown[] = [
      { tag: '', attrs: {} },
      { attrs: {} },
      { tag: 'a', attrs: {}, content: 7 },
      { tag: 'a', attrs: {}, content: null },
    ];
    for (const stanza of none) {
      assert.throws(() => theirs.encodeBinaryNode(stanza as BinaryNode));
      assert.throws(() => ours.encodeBinaryNode(stanza as BinaryNode));
    }
    assert.deepEqual(ours.encodeBinaryNode({ tag: 'a', attrs: {} }), theirs.encodeBinaryNode({ tag: 'a', attrs: {} }));
  });

  it('have attributes that are no text counted and left out, as by the library', () => {
    for (const value of [7, null, undefined, true]) {
      const stanza = { tag: 'a', attrs: { id: value, to: 'b' } } as unknown as BinaryNode;
      assert.deepEqual(ours.encodeBinaryNode(stanza), theirs.encodeBinaryNode(stanza));
    }
  });

  it('are written so by the library that we load', () => {
    const program = `
      const { loadLibrary } = await import('./actors/network/whatsapp/library.ts');
      const { encodeBinaryNode } = await import('./actors/network/whatsapp/session/encode-node.ts');
      console.log((await loadLibrary()).encodeBinaryNode === encodeBinaryNode);`;
    assert.equal(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }), 'true\n');
  });

  it('get all the rest of what the library’s code for them asks for', () => {
    assert.deepEqual(Object.keys(ours), Object.keys(theirs));
  });
});

function aStanza(random: Random, depth: number): BinaryNode {
  const some = (most: number): number => Math.floor(random() * (most + 1));
  const one = (): string => TEXTS[some(TEXTS.length - 1)] ?? '';
  const attrs = Object.fromEntries(Array.from({ length: some(5) }, () => [one(), one()]));
  const tag = one() || 'message';
  const kind = some(3);
  if (kind === 0) return { tag, attrs };
  if (kind === 1) return { tag, attrs, content: one() };
  if (kind === 2 || depth === 0) return { tag, attrs, content: Buffer.alloc(some(400), some(255)) };
  return { tag, attrs, content: Array.from({ length: some(4) }, () => aStanza(random, depth - 1)) };
}
