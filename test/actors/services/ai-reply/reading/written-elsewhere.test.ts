import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { contentsOfDocx } from '../../../../../actors/services/ai-reply/reading/docx.ts';
import { contentsOfHtml } from '../../../../../actors/services/ai-reply/reading/html.ts';
import { warningOf } from '../../../../../actors/services/ai-reply/reading/left-out.ts';
import { contentsOfPdf } from '../../../../../actors/services/ai-reply/reading/pdf.ts';
import type { Contents } from '../../../../../actors/services/ai-reply/reading/reading.ts';
import { contentsOfMarkdown } from '../../../../../actors/services/ai-reply/reading/texts.ts';
import { contentsOfXlsx } from '../../../../../actors/services/ai-reply/reading/xlsx.ts';

/** Files that LibreOffice 7.4 wrote, and pages as themes and page builders write them. */
const fixture = (name: string): Promise<Buffer> => readFile(new URL(`fixtures/${name}`, import.meta.url));
const linesOf = ({ blocks }: Contents): readonly string[] =>
  blocks.map(({ heading, text }) => (heading === '' ? text.trim() : `${heading} | ${text.trim().replace(/[^\S\n]+/g, ' ')}`));
const warnings = ({ leftOut }: Contents): readonly string[] => leftOut.map((one) => warningOf(one).en);
const page = (body: string): Contents => contentsOfHtml(`<title>Shop</title><body><p>We sell shirts.</p>${body}`, true);
const shown = (body: string): readonly string[] => linesOf(page(body)).slice(1);
const answersOf = (body: string): readonly string[] =>
  page(body).blocks.flatMap(({ heading, text, isAnswer }) => (isAnswer ? [`${heading} ${text.trim()}`] : []));

describe('a workbook from LibreOffice', () => {
  it('yields times past midnight, long durations, dates with month names, two currencies and a phone number', async () => {
    const lines = linesOf(contentsOfXlsx(await fixture('clinic.xlsx'))).filter((line) => line.startsWith('Clinic'));
    assert.deepEqual(lines.slice(0, 3), [
      'Clinic › Klinik Sehat — jam dan tarif 2026 | Hari: Senin–Jumat; Buka: 08:30; Tutup: 21:00',
      'Clinic › Klinik Sehat — jam dan tarif 2026 | Hari: Sabtu malam; Buka: 22:00; Tutup: 02:00',
      'Clinic › Klinik Sehat — jam dan tarif 2026 | Hari: Minggu; Buka: tutup; Tutup: tutup',
    ]);
    assert.deepEqual(
      lines.slice(3).map((line) => line.replace('Clinic | Fakta: ', '').replace('Nilai: ', '')),
      [
        'Tea; 3:30 PM',
        'Recovery; 49:15',
        'Next holiday; 25/12/2026',
        'Pendaftaran; Senin, 17 Agustus 2026',
        'Scan; Rp1.250.000',
        'Foreigners; $89.50',
        'Tax; 12.5%',
        'WhatsApp; 081234567890',
        'Limit; 2.5 kg',
      ],
    );
  });

  it('repeats text merged over rows and columns, and omits a hidden sheet, column and row', async () => {
    const contents = contentsOfXlsx(await fixture('clinic.xlsx'));
    assert.deepEqual(
      linesOf(contents).filter((line) => line.startsWith('Rooms')),
      [
        'Rooms | Room: Deluxe; Size: S; Weekday 1 bed: Rp300.000; Weekday 2 beds: Rp400.000; Note: with breakfast',
        'Rooms | Room: Deluxe; Size: L; Weekday 1 bed: Rp350.000; Weekday 2 beds: Rp450.000; Note: with breakfast',
        'Rooms | Room: Suite; Size: L; Weekday 1 bed: sold out; Weekday 2 beds: sold out; Note: with breakfast',
        'Rooms | Room: Tent; Size: S; Weekday 2 beds: Rp95.000; Note: new',
      ],
    );
    assert.deepEqual(warnings(contents), [
      'hidden sheets were left out: Kode brankas',
      'hidden columns were left out: C (Rooms)',
      'struck-out text was left out (1)',
      'hidden rows were left out: 7 (Rooms)',
    ]);
  });
});

const GUEST_HOUSE = [
  'Guest house Melati | A room costs Rp 99.000 per night.',
  'Guest house Melati › Prices | Room: Deluxe; Season: Low; One bed: 300.000; One bed: 400.000',
  'Guest house Melati › Prices | Room: Deluxe; Season: High; One bed: 450.000; One bed: 600.000',
  'Guest house Melati › Prices | Room: Suite; Season: All year; One bed: 900.000; One bed: 900.000',
  'Guest house Melati › House rules | Smoking is allowed on the terrace only. Pets are welcome.',
  'Guest house Melati › House rules | Not after ten.',
];

describe('a document from LibreOffice', () => {
  it('yields the same text from Word and HTML, without hidden text, struck-out prices or footnote marks', async () => {
    const word = await contentsOfDocx(await fixture('guests.docx'));
    const html = contentsOfHtml((await fixture('guests.page')).toString(), false);
    assert.deepEqual(linesOf(word), GUEST_HOUSE);
    assert.deepEqual(linesOf(html), GUEST_HOUSE);
    for (const contents of [word, html])
      assert.deepEqual(warnings(contents).toSorted(), ['hidden text was left out (2)', 'struck-out text was left out (2)']);
  });

  it('yields each PDF column in full, and one line per table row', async () => {
    const [first = '', second = '', table = ''] = linesOf(await contentsOfPdf(new Uint8Array(await fixture('book.pdf')), () => {}));
    assert.match(first, /^House book \| Our rooms are cleaned .* free at every meal\.$/);
    assert.match(second, /^House book \| The pool opens .* asked for before ten\.$/);
    assert.deepEqual(table.split('\n'), [
      'Prices | Service Weekday Weekend',
      'Massage Rp 150.000 Rp 200.000',
      'Laundry per kg Rp 10.000 Rp 12.000',
    ]);
  });
});

describe('a collapsible panel on a page', () => {
  const question = 'Do you deliver?';
  for (const [builder, body] of [
    ['checkboxes', `<input type="checkbox" id="a"><label for="a">${question}</label><div>Daily.</div>`],
    ['jQuery UI', `<h3>${question}</h3><div style="display: none;"><p>Daily.</p></div>`],
    [
      'Elementor',
      `<div id="t" role="button" aria-controls="c"><a>${question}</a></div><div id="c" aria-labelledby="t" hidden>Daily.</div>`,
    ],
    ['Bootstrap 3', `<h4><a data-toggle="collapse" href="#c">${question}</a></h4><div id="c" class="collapse">Daily.</div>`],
    ['plain div elements', `<div class="q">${question}</div><div class="a" style="display:none">Daily.</div>`],
    ['a definition list', `<dl><dt>${question}</dt><dd>Daily.</dd></dl>`],
  ] as const)
    it(`is read as the answer below its question: ${builder}`, () => assert.deepEqual(answersOf(body), [`${question} Daily.`]));
});

describe('text extracted from a styled page', () => {
  it('excludes text that is hidden by classes, style sheets or an off-screen position', () => {
    const contents = page(
      '<style>.x .cost { display: none }</style><p class="d-none">Margin 40%</p><div class="x"><p class="cost">Cost 30.000</p></div>' +
        '<p style="font-size:0">Tiny</p><p style="position:absolute; left:-9999px">Off</p>' +
        '<p class="d-none d-md-block">For wide screens</p><p style="opacity: 0">Fades in</p><p style="font-size:0.9em">Small print</p>',
    );
    assert.deepEqual(linesOf(contents).slice(1), ['For wide screens', 'Fades in', 'Small print']);
    assert.deepEqual(warnings(contents), ['hidden text was left out (4)']);
  });

  it("excludes struck-out prices and the options of forms, but includes a product's options", () => {
    assert.deepEqual(shown('<style>.old { text-decoration: line-through }</style><p><span class="old">80.000</span> 60.000</p>'), [
      '60.000',
    ]);
    assert.deepEqual(shown('<p>Size: <select><option value="">Choose</option><option>S</option><option>M</option></select></p>'), [
      'Size: S, M',
    ]);
    assert.deepEqual(shown('<form><label>Country</label><select><option>Laos</option><option>Peru</option></select></form>'), []);
  });
});

describe("text extracted from other programs' Markdown", () => {
  it('excludes front matter, comments, hidden or struck-out text, and footnote marks', () => {
    const contents = contentsOfMarkdown(
      '---\ntitle: Shop\ncost: 30000\n---\n# Shop\n[//]: # (margin 40%)\n[comment]: <> (cost 30)\nOpen daily.[^1]\n<span hidden>Code 4711</span>\n\n' +
        'Room ~~Rp\n150.000~~ <strike>120.000</strike> <span style="text-decoration: line-through">110.000</span> 99.000\n\n[^1]: Except Sunday.\n',
    );
    assert.deepEqual(
      linesOf(contents).map((line) => line.replace(/\s+/g, ' ')),
      ['Shop | Open daily.', 'Shop | Room 99.000', 'Shop | Except Sunday.'],
    );
    assert.deepEqual(warnings(contents), [
      'comments were left out (3)',
      'hidden text was left out (1)',
      'struck-out text was left out (3)',
    ]);
  });

  it('includes URLs in brackets, and the URLs of named links', () => {
    assert.deepEqual(
      linesOf(contentsOfMarkdown('See <https://shop.example/a> or [the map](https://maps.example).\n[shop]: https://shop.example')),
      ['See <https://shop.example/a> or the map (https://maps.example).\n[shop]: https://shop.example'],
    );
  });
});
