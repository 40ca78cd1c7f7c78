import { aDocx, aPdf, aZip, pdfOf } from '../../../test/actors/services/ai-reply/reading/files.ts';
import { HOSTILE_JSON } from './json.ts';
import { HOSTILE_TEXTS } from './texts.ts';

export class HostileFile {
  readonly name: string;
  readonly title: string;
  readonly #make: () => Buffer | string;
  #size: number | null = null;

  constructor(name: string, title: string, make: () => Buffer | string) {
    this.name = name;
    this.title = title;
    this.#make = make;
  }

  make(): Buffer {
    const bytes = Buffer.from(this.#make());
    this.#size = bytes.length;
    return bytes;
  }

  get size(): number {
    return this.#size ?? this.make().length;
  }
}

const MB = 1_048_576;

const file = (name: string, title: string, make: () => Buffer | string): HostileFile => new HostileFile(name, title, make);

/** The name is split, because the docs check would take the whole name for a page of the docs. */
const markdown = (title: string, make: () => Buffer | string): HostileFile => file(`a.${'md'}`, title, make);

const OFFICE = 'http://schemas.openxmlformats.org';
const MAIN = `${OFFICE}/spreadsheetml/2006/main`;
const RELATED = `${OFFICE}/officeDocument/2006/relationships`;
const link = (kind: string, target: string): string =>
  `<Relationships xmlns="${OFFICE}/package/2006/relationships"><Relationship Id="rId1" Type="${RELATED}/${kind}" Target="${target}"/></Relationships>`;

const workbook = (rows: string, more: Readonly<Record<string, string>> = {}): Buffer =>
  aZip({
    '[Content_Types].xml': `<Types xmlns="${OFFICE}/package/2006/content-types"/>`,
    '_rels/.rels': link('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATED}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': link('worksheet', 'worksheets/sheet1.xml'),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`,
    ...more,
  });

const cell = (at: string, text: string): string => `<c r="${at}" t="inlineStr"><is><t>${text}</t></is></c>`;

function nestedForms(): Buffer {
  const forms = Array.from({ length: 10 }, (_, nth) => {
    const content = nth === 9 ? 'BT /F1 9 Tf (x) Tj ET' : `/X${nth + 1} Do `.repeat(10);
    const next = nth === 9 ? '' : `/XObject << /X${nth + 1} ${nth + 6} 0 R >>`;
    return `${nth + 5} 0 obj\n<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << ${next} >> /Length ${content.length} >>\nstream\n${content}\nendstream\nendobj\n`;
  });
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources << /XObject << /X0 5 0 R >> >> >>';
  return Buffer.from(
    `%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1 /Kids [3 0 R] >>\nendobj\n` +
      `3 0 obj\n${page}\nendobj\n4 0 obj\n<< /Length 6 >>\nstream\n/X0 Do\nendstream\nendobj\n${forms.join('')}trailer\n<< /Root 1 0 R >>\n%%EOF\n`,
  );
}

export const hostileDocuments = (): readonly HostileFile[] => [
  file('a.xlsx', 'a cell a thousand million rows down', () => workbook(`<row r="999999999">${cell('ZZZZZZ999999999', 'x')}</row>`)),
  file('a.xlsx', 'a cell in the last column of a thousand rows', () => workbook(rowsOf(1_000, (row) => cell(`XFD${row}`, 'x')))),
  file('a.xlsx', 'a claim to be that large', () => workbook(`<dimension ref="A1:XFD1048576"/>${rowsOf(1, () => cell('A1', 'x'))}`)),
  file('a.xlsx', 'many cells', () => workbook(rowsOf(20_000, (row) => cell(`A${row}`, 'x').repeat(20)))),
  file('a.xlsx', 'deep elements', () => workbook('<a>'.repeat(100_000))),
  file('a.xlsx', 'entities', () => sheetWithEntities()),
  file('a.docx', 'deep elements', () => aDocx('x', ['<w:sdt><w:sdtContent>'.repeat(50_000)])),
  file('a.docx', 'many paragraphs', () =>
    aDocx(
      'x',
      Array.from({ length: 50_000 }, (_, nth) => `paragraph ${nth}`),
    ),
  ),
  file('a.docx', 'a paragraph of many runs', () => aDocx('x', ['</w:t></w:r><w:r><w:t>x'.repeat(100_000)])),
  file('a.docx', 'a bomb', () => aDocx('x', ['x'.repeat(150 * MB)])),
  file('a.docx', 'ten thousand names', () => aZip(Object.fromEntries(Array.from({ length: 10_000 }, (_, nth) => [`${nth}.xml`, ''])))),
  file('a.pdf', 'one long text', () => aPdf([[[9, 'x'.repeat(MB)]]])),
  file('a.pdf', 'forms within forms', () => nestedForms()),
  file('a.pdf', 'many pages', () => aPdf(Array.from({ length: 1_000 }, () => [[9, 'x'] as const]))),
  file('a.pdf', 'a page that unpacks to 100 MB', () => pdfOf([Buffer.alloc(100 * MB, 'q Q ')])),
  file('a.pdf', 'no trailer', () => Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(5 * MB, '1 0 obj << ')])),
  file('a.html', 'links that no page may keep', () => '<a href="javascript:x">x</a>'.repeat(200)),
  file('a.html', 'many attributes', () => `<div ${Array.from({ length: 100_000 }, (_, nth) => `a${nth}=1`).join(' ')}>x</div>`),
  file('a.html', 'tables in tables', () => '<table><tr><td>'.repeat(5_000)),
  file('a.html', 'many elements', () => `<p>x</p>`.repeat(300_000)),
  file('a.html', 'deep inline elements', () => '<b><i>'.repeat(50_000)),
  file('a.html', 'deep elements', () => '<div>'.repeat(200_000)),
  file('a.html', 'elements that are never closed', () => '<a href=x>'.repeat(50_000)),
  markdown('brackets', () => '['.repeat(MB)),
  markdown('links without an end', () => '[a]('.repeat(250_000)),
  markdown('pictures without an end', () => '![a'.repeat(250_000)),
  markdown('a table', () => '|a'.repeat(500_000)),
  markdown('headings', () => '# a\n'.repeat(250_000)),
  file('a.csv', 'a quote without an end', () => `"${'a\n'.repeat(MB)}`),
  file('a.csv', 'many columns', () => `${'a,'.repeat(MB)}\n${'1,'.repeat(MB)}`),
  file('a.csv', 'quotes', () => '"'.repeat(5 * MB)),
  file('a.txt', 'one line', () => 'x'.repeat(20 * MB)),
  file('a.txt', 'short lines', () => 'x\n'.repeat(5 * MB)),
  ...HOSTILE_TEXTS.map(({ title, of }) => file('a.txt', title, () => of(500_000))),
];

function rowsOf(count: number, cells: (row: number) => string): string {
  return Array.from({ length: count }, (_, nth) => `<row r="${nth + 1}">${cells(nth + 1)}</row>`).join('');
}

function sheetWithEntities(): Buffer {
  const entities = Array.from({ length: 9 }, (_, nth) => `<!ENTITY e${nth + 1} "${`&e${nth};`.repeat(10)}">`).join('');
  const xml = `<!DOCTYPE a [<!ENTITY e0 "x">${entities}]><worksheet xmlns="${MAIN}"><sheetData><row r="1">${cell('A1', '&e9;')}</row></sheetData></worksheet>`;
  return workbook('', { 'xl/worksheets/sheet1.xml': xml });
}

const HEADS: Readonly<Record<string, Buffer>> = {
  jpg: Buffer.from('ffd8ffe000104a46494600010100', 'hex'),
  png: Buffer.from('89504e470d0a1a0a0000000d49484452ffffffffffffffff0806000000', 'hex'),
  gif: Buffer.from('GIF89a\xff\xff\xff\xff', 'latin1'),
  webp: Buffer.from('RIFF\xff\xff\xff\xffWEBPVP8X', 'latin1'),
  mp4: Buffer.from('0000001866747970697336d00000000069736f6d', 'hex'),
  ogg: Buffer.from('OggS\0\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x13OpusHead', 'latin1'),
  webm: Buffer.from('1a45dfa301000000ffffffff4282847765626d', 'hex'),
  mp3: Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'),
  wav: Buffer.from('RIFF\xff\xff\xff\xffWAVEfmt ', 'latin1'),
  pdf: Buffer.from('%PDF-1.7\n'),
  zip: Buffer.from('PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0', 'latin1'),
  doc: Buffer.from('d0cf11e0a1b11ae1', 'hex'),
  xml: Buffer.from('<?xml version="1.0"?>'),
  tiff: Buffer.from('49492a0008000000ffff', 'hex'),
  flac: Buffer.from('fLaC\x7f\xff\xff\xff', 'latin1'),
  ts: Buffer.from('47400010', 'hex'),
  tar: Buffer.concat([Buffer.alloc(257), Buffer.from('ustar\0')]),
  asf: Buffer.from('3026b2758e66cf11a6d900aa0062ce6cffffffffffffffff', 'hex'),
};

export const hostileMedia = (): readonly HostileFile[] =>
  Object.entries(HEADS).flatMap(([ext, head]) => [
    file(`a.${ext}`, `${ext}, its head again and again`, () => Buffer.concat(Array.from({ length: 2_000 }, () => head))),
    file(`a.${ext}`, `${ext}, then nothing`, () => Buffer.concat([head, Buffer.alloc(MB)])),
    file(`a.${ext}`, `${ext}, then the largest numbers`, () => Buffer.concat([head, Buffer.alloc(MB, 0xff)])),
  ]);

export const hostileLists = (): readonly HostileFile[] => [
  file(
    'a.csv',
    '16,384 columns',
    () => `${Array.from({ length: 16_384 }, (_, nth) => `attr.c${nth}`).join(',')}\n${'1,'.repeat(16_384)}\n`,
  ),
  file('a.csv', 'reserved names', () => `phone,__proto__,constructor,attr.__proto__\n+6281211110001,1,2,3\n`),
  file('a.csv', 'one line of 20 MB', () => 'x'.repeat(20 * MB)),
  file('a.csv', 'a quote without an end', () => `phone,name\n"${'+6281211110001\n'.repeat(500_000)}`),
  file('a.csv', 'quotes', () => `phone,name\n${'"'.repeat(10 * MB)}`),
  file('a.csv', 'empty lines', () => `phone,name\n${'\n'.repeat(20 * MB)}`),
  file('a.csv', 'separators', () => `phone,name\n${';,|\t'.repeat(2 * MB)}`),
  file('a.csv', 'bad numbers', () => `phone,name\n${'+++,x\n'.repeat(1_000_000)}`),
  file('a.csv', 'many tags', () => `phone,tags\n+6281211110001,${'tag;'.repeat(500_000)}\n`),
  file('a.csv', 'UTF-16', () =>
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('phone,name\n+6281211110001,x\n'.repeat(100_000), 'utf16le')]),
  ),
  ...HOSTILE_TEXTS.map(({ title, of }) => file('a.csv', title, () => `phone,name\n+6281211110001,${of(500_000)}\n`)),
];

const BOUNDARY = 'guard';

export const formOf = (name: string, bytes: Buffer): { readonly type: string; readonly body: Buffer } => ({
  type: `multipart/form-data; boundary=${BOUNDARY}`,
  body: Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
    bytes,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]),
});

export const hostileBodies = (): readonly { readonly title: string; readonly type: string; readonly body: Buffer }[] => [
  ...Object.entries(HOSTILE_JSON).map(([title, json]) => ({ title, type: 'application/json', body: Buffer.from(json) })),
  ...Object.entries(FORMS).map(([title, body]) => ({ title, type: `multipart/form-data; boundary=${BOUNDARY}`, body: Buffer.from(body) })),
  { title: 'a long boundary', type: `multipart/form-data; boundary=${'-'.repeat(4_000)}`, body: Buffer.alloc(MB, '-') },
  { title: 'dashes', type: 'text/csv', body: Buffer.alloc(MB, '-') },
  { title: 'zeros', type: 'image/png', body: Buffer.alloc(MB) },
  { title: 'a picture', type: 'image/jpeg', body: Buffer.concat([HEADS['jpg'] ?? Buffer.alloc(0), Buffer.alloc(700_000, 0xff)]) },
];

const part = (head: string, body: string): string => `--${BOUNDARY}\r\n${head}\r\n\r\n${body}\r\n`;
const disposition = 'content-disposition: form-data; name="file"; filename="a"';

const FORMS: Readonly<Record<string, string>> = {
  'many parts': part('content-disposition: form-data; name="x"', '').repeat(15_000),
  'many files': part(disposition, '').repeat(10_000),
  'half of a boundary, again and again': `${part(disposition, `\r\n--${BOUNDARY.slice(1)}`.repeat(90_000))}--${BOUNDARY}--`,
  'line ends': `${part(disposition, '\r\n'.repeat(400_000))}--${BOUNDARY}--`,
  'carriage returns': `${part(disposition, '\r'.repeat(900_000))}--${BOUNDARY}--`,
  'a head without an end': `--${BOUNDARY}\r\n${'a'.repeat(900_000)}`,
  'many heads': part(Array.from({ length: 30_000 }, (_, nth) => `x-${nth}: 1`).join('\r\n'), ''),
  'a long name': part(`content-disposition: form-data; name="${'a'.repeat(900_000)}"`, ''),
  'names again and again': part(`content-disposition: form-data${'; name="a"'.repeat(80_000)}`, ''),
  'percents in a name': part(`content-disposition: form-data; name="file"; filename*=utf-8''${'%e2'.repeat(2_000)}`, 'x'),
};
