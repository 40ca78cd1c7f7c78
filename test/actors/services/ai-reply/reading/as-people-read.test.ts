import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { contentsOfDocx } from '../../../../../actors/services/ai-reply/reading/docx.ts';
import { contentsOfHtml } from '../../../../../actors/services/ai-reply/reading/html.ts';
import { LeftOuts, warningOf } from '../../../../../actors/services/ai-reply/reading/left-out.ts';
import { shownNumber } from '../../../../../actors/services/ai-reply/reading/number-formats.ts';
import type { Contents } from '../../../../../actors/services/ai-reply/reading/reading.ts';
import { blocksOfCsv } from '../../../../../actors/services/ai-reply/reading/tables.ts';
import { contentsOfMarkdown } from '../../../../../actors/services/ai-reply/reading/texts.ts';
import { openWorkbook } from '../../../../../actors/services/ai-reply/reading/workbook.ts';
import { contentsOfXlsx } from '../../../../../actors/services/ai-reply/reading/xlsx.ts';
import { aZip, sheetOf } from './files.ts';

/** Written by LibreOffice; `help.page` as a shop's page builder writes it. */
const fixture = (name: string): Promise<Buffer> => readFile(new URL(`fixtures/${name}`, import.meta.url));

const linesOf = ({ blocks }: Pick<Contents, 'blocks'>): readonly string[] =>
  blocks.map(({ heading, text }) => (heading === '' ? text.trim() : `${heading} | ${text.trim().replace(/\s+/g, ' ')}`));
const csv = (text: string): readonly string[] => linesOf({ blocks: blocksOfCsv(text) });
const warnings = ({ leftOut }: Contents): readonly string[] => leftOut.map((one) => warningOf(one).en);

describe('a workbook', () => {
  it('yields times, dates, durations, percentages, money and postcodes as the workbook displays them', async () => {
    const lines = linesOf(contentsOfXlsx(await fixture('shop.xlsx')));
    const facts = lines.filter((line) => line.startsWith('Hours')).map((line) => line.replace('Hours › Facts of the shop | What: ', ''));
    assert.deepEqual(facts, [
      'Open; Value: 08:00',
      'Workshop; Value: 19 March 2026 14:00',
      'Battery; Value: 36:30',
      'Discount; Value: 15%',
      'Delivery; Value: Rp 68,500',
      'Postcode; Value: 00812',
    ]);
  });

  it("repeats a merged cell's text in each of its rows, and reports what was hidden or struck out", async () => {
    const contents = contentsOfXlsx(await fixture('shop.xlsx'));
    assert.deepEqual(
      linesOf(contents).filter((line) => line.startsWith('Prices')),
      [
        'Prices › Price list 2026 | Product: Batik shirt; Size: S; Price 2026: Rp 45,000',
        'Prices › Price list 2026 | Product: Batik shirt; Size: L; Price 2026: Rp 55,000',
        'Prices › Price list 2026 | Product: New scarf; Size: M',
      ],
    );
    assert.deepEqual(warnings(contents), [
      'hidden sheets were left out: Safe',
      'hidden columns were left out: D (Prices)',
      'hidden rows were left out: 5 (Prices)',
      'struck-out text was left out (2)',
    ]);
  });

  it('can be read even if it contains chart sheets and very hidden sheets', () => {
    const relation = (id: string, kind: string, target: string): string =>
      `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/>`;
    const cell = '<row r="1"><c r="A1" t="inlineStr"><is><t>Open daily</t></is></c></row>';
    const book = aZip({
      'xl/workbook.xml':
        '<workbook xmlns:r="r"><sheets><sheet name="Chart1" r:id="a"/><sheet name="Facts" r:id="b"/><sheet name="Codes" state="veryHidden" r:id="c"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': `<Relationships>${relation('a', 'chartsheet', 'chartsheets/sheet1.xml')}${relation('b', 'worksheet', '/xl/worksheets/sheet1.xml')}${relation('c', 'worksheet', 'worksheets/sheet1.xml')}</Relationships>`,
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${cell}</sheetData></worksheet>`,
    });
    const contents = contentsOfXlsx(book);
    assert.deepEqual(linesOf(contents), ['Open daily']);
    assert.deepEqual(warnings(contents), ['charts were left out: Chart1', 'hidden sheets were left out: Codes']);
    assert.equal(openWorkbook(book, new LeftOuts()).sheets.length, 1);
  });

  it('keeps all digits of long numbers, and spells out the month of ambiguous dates', () => {
    const shown = (code: string, value: number, is1904 = false): string => shownNumber(value, code, is1904);
    assert.equal(shown('General', 6_281_234_567_890), '6281234567890');
    assert.equal(shown('', 0.1 + 0.2), '0.3');
    assert.equal(shown('m/d/yyyy h:mm', 46_100 + 14 / 24), '19 March 2026 14:00');
    assert.equal(shown('mm-dd-yy', 46_100), '19 March 2026');
    assert.equal(shown('dd/mm/yyyy', 46_100), '19/03/2026');
    assert.equal(shown('yyyy-mm-dd', 46_100 - 1_462, true), '2026-03-19');
    assert.equal(shown('h:mm', 8 / 24), '08:00');
    assert.equal(shown('h:mm AM/PM', 0.75), '6:00 PM');
    assert.equal(shown('[$-421]d mmmm yyyy', 46_100), '19 Maret 2026');
    assert.equal(shown('_-"Rp"* #,##0_-', 68_500), 'Rp 68,500');
    assert.equal(shown('0.0 "kg"', 1.5), '1.5 kg');
    assert.equal(shown('what is this [', 5), '5');
  });

  it('is rejected with a reason if merged cells cover the whole sheet', () => {
    const merges = '<mergeCell ref="A1:XFD1048576"/>'.repeat(40);
    const book = sheetOf(
      `<row r="1"><c r="A1" t="inlineStr"><is><t>x</t></is></c></row><row r="9000"><c r="A9000"><v>1</v></c></row></sheetData><mergeCells>${merges}</mergeCells><sheetData>`,
    );
    assert.throws(() => contentsOfXlsx(book), /too far/);
  });
});

describe('text extracted from a Word document', () => {
  it('includes rows below a merged cell, but no hidden or struck-out text', async () => {
    const contents = await contentsOfDocx(await fixture('shirts.docx'));
    assert.deepEqual(linesOf(contents), [
      'Shirts | Product: Batik; Size: S; Price: 45.000',
      'Shirts | Product: Batik; Size: L; Price: 55.000',
      'Room | A room costs Rp 99.000 per night.',
      'Room | Breakfast is included.',
      'Room | On working days only.',
    ]);
    assert.deepEqual(warnings(contents), ['struck-out text was left out (1)', 'hidden text was left out (1)']);
  });
});

describe('text extracted from an HTML page', () => {
  it('includes collapsed panels, whole tables and the footer, but no forms or menus', async () => {
    const contents = contentsOfHtml((await fixture('help.page')).toString(), true);
    assert.deepEqual(linesOf(contents), [
      'Toko Maju, call 021-555 1234',
      'Do you deliver on Sunday? | Yes, from 9 to 12.',
      'Can I return a shirt? | Within 7 days.',
      'Where is the shop? | Jl. Merdeka 5.',
      'Questions › Payment | Bank transfer or cash.',
      'Questions › Washing | Wash cold.',
      'Questions › Ironing | Iron warm.',
      'Is parking free? | Yes, behind the shop.',
      'Questions | Room: Rp 99.000 per night',
      'Questions | Printed.',
      'Questions › Shirts | Product: Batik; Size: S; Price: 45.000',
      'Questions › Shirts | Product: Batik; Size: L; Price: 55.000',
      'Questions | A fact.',
      'Jl. Sudirman 1, Bandung. 0812-3456',
      'Open 08.00–17.00',
    ]);
    const answers = contents.blocks.filter(({ isAnswer }) => isAnswer).map(({ heading }) => heading);
    assert.deepEqual(answers, ['Do you deliver on Sunday?', 'Can I return a shirt?', 'Where is the shop?', 'Is parking free?']);
    assert.deepEqual(warnings(contents), ['hidden text was left out (2)', 'struck-out text was left out (1)']);
  });
});

describe('text extracted from a Markdown page', () => {
  it('includes a pipe inside a table cell, but no comments or struck-out text', () => {
    const contents = contentsOfMarkdown(
      '# Shop\n<!-- margin\n40% -->\n~~Rp 150.000~~ Rp 99.000\n\n| Kota | Ongkir |\n|---|---|\n| Solo \\| Klaten | 10.000 |\n',
    );
    assert.deepEqual(linesOf(contents), ['Shop | Rp 99.000', 'Shop | Kota: Solo | Klaten; Ongkir: 10.000']);
    assert.deepEqual(warnings(contents), ['comments were left out (1)', 'struck-out text was left out (1)']);
  });
});

describe('a table', () => {
  it('keeps its column names if there is a title above them or a blank row below them', () => {
    assert.deepEqual(csv('Salon Ayu\nPrices of 2026\n\nService,Price\n\nHaircut,35.000\n\nColour,90.000\n'), [
      'Salon Ayu',
      'Prices of 2026 | Service: Haircut; Price: 35.000',
      'Prices of 2026 | Service: Colour; Price: 90.000',
    ]);
    assert.deepEqual(csv('Zone,1 kg,5 kg\nA,10.000,40.000\nB,12.000,50.000\n').at(-1), 'Zone: B; 1 kg: 12.000; 5 kg: 50.000');
    assert.deepEqual(csv('Class,Fee 2025,Fee 2026\nYoga,Rp 100.000,Rp 120.000\n'), [
      'Class: Yoga; Fee 2025: Rp 100.000; Fee 2026: Rp 120.000',
    ]);
  });

  it('can have years, weights and a row of units in its header', () => {
    assert.equal(csv('Program,2025,2026\nTK,500.000,550.000\nSD,700.000,750.000\n')[1], 'Program: SD; 2025: 700.000; 2026: 750.000');
    assert.equal(csv('Kota,1,5\nSolo,9.000,40.000\nKlaten,8.000,35.000\n')[1], 'Kota: Klaten; 1: 8.000; 5: 35.000');
    assert.deepEqual(csv('Service,Duration,Price\n,(min),(Rp)\nCut,30,50.000\n'), ['Service: Cut; Duration (min): 30; Price (Rp): 50.000']);
    assert.deepEqual(csv('Menu,Harga\nMAKANAN,\nNasi goreng,25.000\nMinuman:,\nEs teh,5.000\n'), [
      'MAKANAN | Menu: Nasi goreng; Harga: 25.000',
      'Minuman | Menu: Es teh; Harga: 5.000',
    ]);
  });

  it('keeps its first row as data if there is no header', () => {
    assert.deepEqual(csv('Kaos S,45.000\nKaos M,50.000\n'), ['Kaos S: 45.000', 'Kaos M: 50.000']);
    assert.deepEqual(csv('Senin,Tutup\nSelasa,08.00-17.00\nRabu,08.00-17.00\n')[0], 'Senin: Tutup');
    assert.deepEqual(csv('Haircut,35.000,45.000\nColour,80.000,90.000\n'), ['Haircut; 35.000; 45.000', 'Colour; 80.000; 90.000']);
  });

  it('is split only at the separator that its header uses, whatever its cells contain', () => {
    const text = 'one, two, three, four, five, six';
    assert.deepEqual(
      csv(`Layanan;Harga;Catatan\n${`Cuci;20,5;"${text}, ""x"""\n`.repeat(3)}`)[0],
      `Layanan: Cuci; Harga: 20,5; Catatan: ${text}, "x"`,
    );
    assert.deepEqual(csv(`Question;Answer\nBring what?;${text}\nMore?;${text}\n`), [`Bring what? | ${text}`, `More? | ${text}`]);
  });
});
