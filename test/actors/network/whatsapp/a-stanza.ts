import type { BinaryNode } from '@whiskeysockets/baileys';
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS } from '@whiskeysockets/baileys/lib/WABinary/constants.js';
import type { Random } from '../../../../runtime/random.ts';

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

/** Returns a random stanza with at most `depth` levels of children. */
export function aStanza(random: Random, depth: number): BinaryNode {
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
