import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { READ_LIMITS } from '../../../../../actors/services/ai-reply/reading/reader.ts';
import { REASONS } from '../../../../../actors/services/ai-reply/reading/reading.ts';
import type { DocumentType } from '../../../../../store/ai-reply/documents.ts';
import { aDocx, anXlsx, aPdf, aZip, pdfOf } from './files.ts';
import { aReader, fileOf } from './reader-fixture.ts';

/** However busy the machine is. */
const PATIENT = { ...READ_LIMITS, wallMs: 600_000 };

async function read(t: TestContext, ext: DocumentType, file: string | Uint8Array, limits = PATIENT) {
  return (await aReader(t, { limits })).read('shop', fileOf(ext, file), () => {});
}

async function passages(t: TestContext, ext: DocumentType, file: string | Uint8Array) {
  const reading = await read(t, ext, file);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.passages;
}

async function reason(t: TestContext, ext: DocumentType, file: string | Uint8Array, limits = PATIENT) {
  const reading = await read(t, ext, file, limits);
  assert.equal(reading.ok, false);
  return reading.ok ? null : reading.reason;
}

it('the document reader splits text into paragraphs, in any encoding', async (t) => {
  const text = 'Kami buka pukul 09.00.\n\nGratis ongkir – se-Indonesia.';
  const expected = [{ heading: '', text: 'Kami buka pukul 09.00.\nGratis ongkir – se-Indonesia.' }];
  assert.deepEqual(await passages(t, 'txt', text), expected);
  assert.deepEqual(await passages(t, 'txt', Buffer.from(`\uFEFF${text}`, 'utf16le')), expected);
  assert.deepEqual(await passages(t, 'txt', Buffer.from(text.replace('–', '\x96'), 'latin1')), expected);
});

it('the document reader keeps passages short enough to quote, without losing a sentence', async (t) => {
  const sentences = Array.from({ length: 60 }, (_, nth) => `Kalimat nomor ${nth} berbicara tentang barang dagangan kami.`);
  const found = await passages(t, 'txt', sentences.join(' '));
  assert.ok(found.length > 1);
  assert.ok(found.every(({ text }) => text.split(' ').length <= 180));
  for (const sentence of sentences) assert.ok(found.some(({ text }) => text.includes(sentence)));
  assert.ok((await passages(t, 'txt', 'x'.repeat(50_000))).every(({ text }) => text.length <= 2_000));
});

it('the document reader puts Markdown headings above their text, and turns tables into sentences', async (t) => {
  const text = '# Toko\n\n## Ongkir\n**Gratis** di Bandung.\n\n| Kota | Ongkir |\n|---|---|\n| Solo | 10.000 |\n\n# Retur\nDalam 7 hari.\n';
  assert.deepEqual(await passages(t, 'md', text), [
    { heading: 'Toko › Ongkir', text: 'Gratis di Bandung.\nKota: Solo; Ongkir: 10.000' },
    { heading: 'Retur', text: 'Dalam 7 hari.' },
  ]);
});

it('the document reader recognizes a table of questions and answers, with any separator', async (t) => {
  const answer = [{ heading: 'Bisa COD?', text: 'Bisa, se-Jabodetabek.', isAnswer: true }];
  assert.deepEqual(await passages(t, 'csv', 'Pertanyaan;Jawaban\nBisa COD?;"Bisa, se-Jabodetabek."\n'), answer);
  assert.deepEqual(await passages(t, 'csv', 'Question,Answer\nBisa COD?,"Bisa, se-Jabodetabek."\n'), answer);
  const workbook = anXlsx([
    ['Barang', 'Harga'],
    ['Kaos', 'Rp 50.000'],
  ]);
  assert.deepEqual(await passages(t, 'xlsx', workbook), [{ heading: '', text: 'Barang: Kaos; Harga: Rp 50.000' }]);
});

it('the document reader skips the menus and scripts of a page, and neither runs nor loads anything', async (t) => {
  const page = `<title>Tanya jawab</title><nav><a href="/">Beranda</a></nav><script>document.write('no')</script>
    <h1>Retur</h1><p>Barang <b>boleh</b> ditukar.</p><ul><li>7 hari</li><li>label utuh</li></ul>`;
  const reading = await read(t, 'html', page);
  assert.ok(reading.ok);
  assert.equal(reading.title, 'Tanya jawab');
  assert.deepEqual(reading.passages, [{ heading: 'Retur', text: 'Barang boleh ditukar.\n7 hari\nlabel utuh' }]);
});

it('the document reader reads a PDF page by page, and treats larger lines as headings', async (t) => {
  const pages = [
    [
      [20, 'Garansi'],
      [11, 'Garansi mesin jahit berlaku'],
      [11, 'dua tahun.'],
    ],
    [[11, 'Servis gratis di Bandung.']],
  ] as const;
  assert.deepEqual(await passages(t, 'pdf', aPdf(pages)), [
    { heading: 'Garansi', text: 'Garansi mesin jahit berlaku dua tahun.\nServis gratis di Bandung.' },
  ]);
});

it('the document reader reads PDF columns one after another, even if their lines alternate in the file', async (t) => {
  const left = [
    'We bake every morning from five',
    'already, with flour from our',
    'own village and without any of',
    'the powders that others use now.',
  ];
  const right = [
    'Orders for birthday cakes reach',
    'us two days before, by message',
    'or at the counter, and are paid',
    'by half when they are made here.',
  ];
  const at = (x: number, y: number, text: string) => `BT /F1 11 Tf 1 0 0 1 ${x} ${y} Tm (${text}) Tj ET\n`;
  const across = (y: number, text: string) => at(72, y, text);
  const rows = left.flatMap((line, nth) => [at(72, 680 - nth * 14, line), at(320, 680 - nth * 14, right[nth] ?? '')]);
  const page = [across(720, 'The bakery at the corner, where everybody knows what is in the bread that they eat'), ...rows];
  const [text = ''] = (
    await passages(t, 'pdf', pdfOf([Buffer.from([...page, across(560, 'Page one of the leaflet of the bakery')].join(''))]))
  ).map((one) => JSON.stringify(one));
  const places = [
    'everybody knows',
    'five already',
    'powders that others use now',
    'birthday cakes reach us two days',
    'when they are made here',
    'Page one',
  ];
  const found = places.map((place) => text.indexOf(place));
  assert.ok(found.every((place) => place >= 0) && found.every((place, nth) => nth === 0 || place > (found[nth - 1] ?? 0)), text);
});

it('the document reader keeps table rows in a PDF together', async (t) => {
  const at = (x: number, y: number, text: string): string => `BT /F1 11 Tf ${x} ${y} Td (${text}) Tj ET\n`;
  const row = (nth: number, ...cells: readonly string[]): string =>
    cells.map((text, column) => at(50 + column * 120, 700 - nth * 13, text)).join('');
  const page = [
    row(0, 'Haircut', '35.000', '45.000'),
    row(1, 'Colour', '90.000', '120.000'),
    row(2, 'All prices include'),
    row(3, 'a drink.'),
  ];
  assert.deepEqual(await passages(t, 'pdf', pdfOf([Buffer.from(page.join(''))])), [
    { heading: '', text: 'Haircut 35.000 45.000\nColour 90.000 120.000\nAll prices include a drink.' },
  ]);
});

it('the document reader reads a Word document with headings, and ignores external entities', async (t) => {
  const outside = '<!DOCTYPE w [<!ENTITY file SYSTEM "file:///etc/hostname">]>';
  assert.deepEqual(await passages(t, 'docx', aDocx('Retur', ['Dalam 7 hari.'])), [{ heading: 'Retur', text: 'Dalam 7 hari.' }]);
  const hostile = await read(t, 'docx', aDocx('Retur', ['Dalam 7 hari. &file;'], outside));
  assert.ok(!JSON.stringify(hostile).includes((await import('node:os')).hostname()));
});

it('the document reader reports why it cannot read a damaged file', async (t) => {
  assert.deepEqual(await reason(t, 'txt', ''), REASONS.empty);
  assert.deepEqual(await reason(t, 'txt', ' \n '), REASONS.noText);
  assert.deepEqual(await reason(t, 'txt', Buffer.from([1, 0, 2, 0, 0, 0])), REASONS.notText);
  assert.deepEqual(await reason(t, 'pdf', 'no pdf'), REASONS.broken);
  assert.deepEqual(await reason(t, 'pdf', '%PDF-1.4 garbage'), REASONS.broken);
  assert.deepEqual(await reason(t, 'pdf', aPdf([[]])), REASONS.scanned);
  assert.deepEqual(await reason(t, 'docx', 'PK\x03\x04garbage'), REASONS.broken);
  assert.deepEqual(await reason(t, 'docx', aZip({ 'readme.txt': 'hello' })), REASONS.broken);
});

it('the document reader stops reading a file that exceeds a limit', async (t) => {
  assert.deepEqual(await reason(t, 'docx', aZip({ 'word/document.xml': 'a'.repeat(5_000_000) })), REASONS.bomb);
  assert.deepEqual(await reason(t, 'docx', aZip({ 'word/document.xml': 'a' }, 4_000_000_000)), REASONS.bomb);
  assert.deepEqual(await reason(t, 'txt', 'word '.repeat(500_000)), REASONS.tooLong);
  assert.deepEqual(await reason(t, 'pdf', aPdf(Array.from({ length: 10_000 }, () => []))), REASONS.tooManyPages);
  const many = '<p>word</p>'.repeat(300_000);
  assert.deepEqual(await reason(t, 'html', many, { ...PATIENT, wallMs: 1 }), REASONS.time);
  assert.deepEqual(await reason(t, 'html', many, { ...PATIENT, heapMb: 48 }), REASONS.memory);
  const bomb = pdfOf([Buffer.alloc(400_000_000, ' ')]);
  assert.deepEqual(await reason(t, 'pdf', bomb, { ...PATIENT, memoryMb: 160 }), REASONS.memory);
});

it('the document reader delays only the business that sends hostile files', async (t) => {
  const reader = await aReader(t, { limits: PATIENT });
  const ended: string[] = [];
  const reads = (owner: string, ext: DocumentType, bytes: Uint8Array) =>
    reader.read(owner, fileOf(ext, bytes), () => {}).then(() => ended.push(owner));
  const bombs = [
    reads('hostile', 'pdf', aPdf(Array.from({ length: 10_000 }, () => []))),
    reads('hostile', 'docx', aZip({ 'word/document.xml': 'a'.repeat(5_000_000) })),
    reads('hostile', 'txt', Buffer.from('word '.repeat(500_000))),
  ];
  await reads('other', 'txt', Buffer.from('Kami buka pukul 09.00.'));
  assert.ok(ended.filter((owner) => owner === 'hostile').length < bombs.length, 'the other did not wait for all of them');
  await Promise.all(bombs);
});

it('the document reader ignores external entities in a workbook', async (t) => {
  const outside = '<!DOCTYPE s [<!ENTITY file SYSTEM "file:///etc/hostname">]>';
  const reading = await read(t, 'xlsx', anXlsx([['Barang', '&file;']], outside));
  assert.ok(!JSON.stringify(reading).includes((await import('node:os')).hostname()));
});
