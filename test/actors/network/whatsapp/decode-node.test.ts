import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BinaryNode } from '@whiskeysockets/baileys';
import * as constants from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import { decodeDecompressedBinaryNode } from '@whiskeysockets/baileys/lib/WABinary/decode.js';
import { encodeBinaryNode } from '@whiskeysockets/baileys/lib/WABinary/encode.js';
import { decodeNode } from '../../../../actors/network/whatsapp/session/decode-node.ts';
import { seededRandom } from '../../../../runtime/random.ts';
import { aStanza } from './a-stanza.ts';

const SEED = Number(process.env['SEED'] ?? 1);
const STANZAS = 2_000;
const { TAGS } = constants;
const WITHOUT_TAG = 0;

describe('incoming stanzas', () => {
  it('are decoded exactly as the library decodes them', () => {
    const random = seededRandom(SEED);
    let refused = 0;
    for (let nth = 0; nth < STANZAS; nth += 1) {
      const bytes = encodeBinaryNode(aStanza(random, 3)).subarray(1);
      const ours = read(decodeNode, bytes);
      assert.deepEqual(ours, read(theirs, bytes), `SEED=${SEED}, ${bytes.toString('hex')}`);
      if (ours === 'refused') refused += 1;
    }
    assert.ok(refused < STANZAS / 2, `${refused} were no stanzas`);
  });

  it('are decoded or rejected exactly as in the library, even if their bytes are random', () => {
    const random = seededRandom(SEED);
    for (let nth = 0; nth < STANZAS; nth += 1) {
      const bytes = Buffer.from(encodeBinaryNode(aStanza(random, 2)).subarray(1));
      for (let changes = 0; changes < 3; changes += 1) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      const cut = random() < 0.3 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
      assert.deepEqual(read(decodeNode, cut), read(theirs, cut), `SEED=${SEED}, ${cut.toString('hex')}`);
    }
  });

  it('can contain people and devices in every address format of the network', () => {
    const text = (value: string): number[] => [TAGS.BINARY_8, value.length, ...Buffer.from(value)];
    const addresses = [
      [TAGS.JID_PAIR, ...text('1203-44'), ...text('g.us')],
      [TAGS.JID_PAIR, TAGS.LIST_EMPTY, ...text('broadcast')],
      [TAGS.JID_PAIR, ...text('1'), TAGS.LIST_EMPTY],
      ...[0, 1, 2, 128, 129].flatMap((domain) => [0, 7].map((device) => [TAGS.AD_JID, domain, device, ...text('6281')])),
      [TAGS.AD_JID, 1, 0, TAGS.LIST_EMPTY],
      [TAGS.FB_JID, ...text('77'), 1, 2, ...text('msgr')],
      [TAGS.INTEROP_JID, ...text('77'), 0, 3, 0, 9, ...text('interop')],
      [TAGS.INTEROP_JID, ...text('77'), 0, 3, 0, 9],
      [TAGS.NIBBLE_8, 0x83, 0x12, 0xab, 0x3f],
      [TAGS.NIBBLE_8, 0x01, 0xcc],
      [TAGS.NIBBLE_8, 0x80],
      [TAGS.HEX_8, 0x02, 0x0a, 0xf9],
      [TAGS.DICTIONARY_0, 3],
      [TAGS.DICTIONARY_3, 255],
      [TAGS.BINARY_32, 0, 0, 0, 2, 65, 66],
      [TAGS.BINARY_20, 0xf0, 0, 2, 65, 66],
    ];
    for (const address of addresses) {
      const bytes = Buffer.from([TAGS.LIST_8, 3, ...text('a'), ...text('jid'), ...address]);
      assert.deepEqual(read(decodeNode, bytes), read(theirs, bytes), bytes.toString('hex'));
    }
    assert.equal(read(decodeNode, Buffer.from([TAGS.LIST_8, 1, WITHOUT_TAG])), 'refused');
    const endless = [TAGS.LIST_8, 3, ...text('a'), ...text('jid'), TAGS.BINARY_32, 255, 255, 255, 255, 65];
    assert.equal(read(decodeNode, Buffer.from(endless)), 'refused');
  });
});

/** As the library has it, but for contents that are there without being any. */
function theirs(bytes: Buffer): BinaryNode {
  return withoutNone(decodeDecompressedBinaryNode(bytes, constants));
}

function withoutNone({ tag, attrs, content }: BinaryNode): BinaryNode {
  if (content === undefined) return { tag, attrs };
  return { tag, attrs, content: Array.isArray(content) ? content.map(withoutNone) : content };
}

function read(decoder: (bytes: Buffer) => BinaryNode, bytes: Buffer): BinaryNode | 'refused' {
  try {
    return decoder(bytes);
  } catch {
    return 'refused';
  }
}
