import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { READ_LIMITS } from '../../../../../actors/services/ai-reply/reading/reader.ts';
import { REASONS } from '../../../../../actors/services/ai-reply/reading/reading.ts';
import type { DocumentType } from '../../../../../store/ai-reply/documents.ts';
import { someChildren } from '../../../../runtime/child-processes/children-fixture.ts';
import { aDocx, aZip, pdfOf, sheetOf } from './files.ts';
import { aReader, fileOf } from './reader-fixture.ts';

/** Less processor time than a node gives: what never ends shows it soon. */
const LIMITS = { ...READ_LIMITS, wallMs: 600_000, cpuSeconds: 2 };
/** Of the process that reads none of it: buffers of the file, and of what is said about it. */
const MAX_GROWTH = 96 * 1_048_576;

const cell = (place: string, text = 'x'): string => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
/** So that it does not pack to nothing. */
const words = (count: number): string[] =>
  randomBytes(count * 2)
    .toString('hex')
    .match(/.{4}/g) ?? [];

type Outcome = keyof typeof REASONS | 'read';
type Exploding = readonly [what: string, ext: DocumentType, make: () => string | Uint8Array, expected: readonly Outcome[]];

const FILES: readonly Exploding[] = [
  ['a sheet with a distant row and cell', 'xlsx', () => sheetOf(`<row r="999999999">${cell('ZZZZZZ999999999')}</row>`), ['tooManyCells']],
  [
    'a sheet of the maximum size',
    'xlsx',
    () => sheetOf(`<row r="1">${cell('XFD1')}</row><row r="1048576">${cell('A1048576')}</row>`),
    ['tooManyCells'],
  ],
  [
    'a sheet with row numbers only in its cells',
    'xlsx',
    () => sheetOf(`<row>${cell('ZZZ1')}</row><row>${cell('A999999999')}</row>`),
    ['tooManyCells'],
  ],
  ['a sheet with a million empty rows', 'xlsx', () => sheetOf('<row r="1048576"/>'), ['noText', 'memory']],
  [
    'a zip with a wrong size in its directory',
    'docx',
    () => aZip({ '[Content_Types].xml': '', 'word/document.xml': `<w>${' '.repeat(300_000_000)}</w>` }, 1),
    ['broken', 'memory', 'time', 'noText'],
  ],
  [
    'a document with one huge table',
    'docx',
    () =>
      aDocx('a', [
        `</w:t></w:r></w:p><w:tbl>${words(60_000)
          .map((word) => `<w:tr><w:tc><w:p><w:r><w:t>${word}</w:t></w:r></w:p></w:tc></w:tr>`)
          .join('')}</w:tbl><w:p><w:r><w:t>`,
      ]),
    ['bomb', 'memory', 'time', 'tooLong', 'read'],
  ],
  ['deeply nested HTML', 'html', () => '<div>'.repeat(100_000), ['broken', 'memory', 'time', 'crash', 'noText']],
  ['deeply nested tables', 'html', () => '<table><tr><td>x'.repeat(20_000), ['broken', 'memory', 'time', 'crash', 'read']],
  ['a million columns', 'csv', () => `${words(1_000_000).join(',')}\n${words(1_000_000).join(',')}`, ['tooLong', 'memory', 'time']],
  ['an unclosed quote', 'csv', () => `"${'a,\n'.repeat(3_000_000)}`, ['broken', 'tooLong', 'memory', 'time']],
  ['a page that decompresses to 400 MB', 'pdf', () => pdfOf([Buffer.alloc(400_000_000, ' ')]), ['memory', 'broken', 'time', 'scanned']],
  [
    'a page with a million operators',
    'pdf',
    () => pdfOf([Buffer.from('q 1 0 0 1 0 0 cm Q '.repeat(1_000_000))]),
    ['memory', 'time', 'scanned'],
  ],
  ['a file with only a huge heading', 'md', () => `# ${'a '.repeat(5_000_000)}`, ['tooLong', 'noText', 'memory', 'time']],
  ['a letter with 400,000 accents', 'txt', () => `a${'\u0315'.repeat(200_000)}${'\u0300'.repeat(200_000)}`, ['time', 'tooLong', 'read']],
];

describe('a file designed to exhaust resources', () => {
  for (const [what, ext, make, expected] of FILES)
    it(`is rejected with a reason in a separate process: ${what}`, async (t) => {
      const file = make();
      const reader = await aReader(t, { children: await someChildren(t), limits: LIMITS });
      const before = process.memoryUsage.rss();
      const reading = await reader.read('shop', fileOf(ext, file), () => {});
      const outcome = reading.ok ? 'read' : Object.entries(REASONS).find(([, words]) => words === reading.reason)?.[0];
      assert.ok(
        expected.some((one) => one === outcome),
        `${outcome}`,
      );
      const growth = process.memoryUsage.rss() - before;
      assert.ok(growth < MAX_GROWTH, `${Math.round(growth / 1_048_576)} MB`);
    });
});
