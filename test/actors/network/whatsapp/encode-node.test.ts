import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import type { BinaryNode } from '@whiskeysockets/baileys';
import * as theirs from '@whiskeysockets/baileys/lib/WABinary/encode.js';
import * as ours from '../../../../actors/network/whatsapp/session/encode-node.ts';
import { seededRandom } from '../../../../runtime/random.ts';
import { aStanza } from './a-stanza.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const STANZAS = 2_000;

describe('outgoing stanzas', () => {
  it('are encoded exactly as the library encodes them', () => {
    const random = seededRandom(SEED);
    for (let nth = 0; nth < STANZAS; nth += 1) {
      const stanza = aStanza(random, 3);
      assert.deepEqual(ours.encodeBinaryNode(stanza), theirs.encodeBinaryNode(stanza), `SEED=${SEED}, ${JSON.stringify(stanza)}`);
    }
  });

  it('match the library at every size boundary, even if large and small stanzas alternate', () => {
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

  it('are rejected if they are invalid, as in the library', () => {
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

  it('omit attributes with non-text values exactly as the library does', () => {
    for (const value of [7, null, undefined, true]) {
      const stanza = { tag: 'a', attrs: { id: value, to: 'b' } } as unknown as BinaryNode;
      assert.deepEqual(ours.encodeBinaryNode(stanza), theirs.encodeBinaryNode(stanza));
    }
  });

  it("are encoded by our own code instead of the library's encoder", () => {
    const program = `
      const { loadLibrary } = await import('./actors/network/whatsapp/library.ts');
      const { encodeBinaryNode } = await import('./actors/network/whatsapp/session/encode-node.ts');
      console.log((await loadLibrary()).encodeBinaryNode === encodeBinaryNode);`;
    assert.equal(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }), 'true\n');
  });

  it('are encoded without changing any other function of the library', () => {
    assert.deepEqual(Object.keys(ours), Object.keys(theirs));
  });
});
