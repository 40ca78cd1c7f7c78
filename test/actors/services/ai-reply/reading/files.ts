import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** A zip file; `claims`: what its directory says of unpacked bytes, instead of the truth. */
export function aZip(files: Readonly<Record<string, string>>, claims: number | null = null): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const packed = deflateRawSync(text);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(text), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(claims ?? Buffer.byteLength(text), 18);
    facts.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, place, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, central, end]);
}

const OFFICE = 'http://schemas.openxmlformats.org';
const TYPES = `${OFFICE}/package/2006/content-types`;
const RELATIONS = `${OFFICE}/package/2006/relationships`;
const DOCUMENT = `${OFFICE}/officeDocument/2006/relationships`;

const relations = (...targets: readonly (readonly [kind: string, target: string])[]): string =>
  `<Relationships xmlns="${RELATIONS}">${targets
    .map(([kind, target], nth) => `<Relationship Id="rId${nth + 1}" Type="${DOCUMENT}/${kind}" Target="${target}"/>`)
    .join('')}</Relationships>`;

/** A document of Word: a heading and paragraphs. `prolog` stands before its text. */
export function aDocx(heading: string, paragraphs: readonly string[], prolog = ''): Buffer {
  const paragraph = (text: string, style = ''): string => `<w:p>${style}<w:r><w:t>${text}</w:t></w:r></w:p>`;
  const body = [paragraph(heading, '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'), ...paragraphs.map((text) => paragraph(text))].join('');
  return aZip({
    '[Content_Types].xml': `<Types xmlns="${TYPES}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': relations(['officeDocument', 'word/document.xml']),
    'word/document.xml': `${prolog}<w:document xmlns:w="${OFFICE}/wordprocessingml/2006/main"><w:body>${body}</w:body></w:document>`,
  });
}

/** A workbook with one sheet of texts. `prolog` stands before it. */
export const anXlsx = (rows: readonly (readonly string[])[], prolog = ''): Buffer => sheetOf(rowsOf(rows), prolog);

/** Rows of texts, as a sheet has them. */
export const rowsOf = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((row, at) => {
      const cell = (text: string, nth: number): string => `<c r="${'ABCDEFG'[nth]}${at + 1}" t="inlineStr"><is><t>${text}</t></is></c>`;
      return `<row r="${at + 1}">${row.map(cell).join('')}</row>`;
    })
    .join('');

/** A workbook with one sheet of these rows. */
export const sheetOf = (rows: string, prolog = ''): Buffer => workbookOf({ Harga: rows }, prolog);

/** A workbook with sheets of these rows, by name. */
export function workbookOf(sheets: Readonly<Record<string, string>>, prolog = ''): Buffer {
  const main = `${OFFICE}/spreadsheetml/2006/main`;
  const names = Object.keys(sheets);
  const named = names.map((name, nth) => `<sheet name="${name}" sheetId="${nth + 1}" r:id="rId${nth + 1}"/>`).join('');
  const files = Object.values(sheets).map((rows, nth) => [`sheet${nth + 1}.xml`, rows] as const);
  return aZip({
    '[Content_Types].xml': `<Types xmlns="${TYPES}"/>`,
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${DOCUMENT}"><sheets>${named}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(...files.map(([file]) => ['worksheet', `worksheets/${file}`] as const)),
    ...Object.fromEntries(
      files.map(([file, rows]) => [
        `xl/worksheets/${file}`,
        `${prolog}<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  });
}

/** A line of a page: its size and its text. */
type PdfLine = readonly [size: number, text: string];

/** A PDF file of pages with lines of text under each other. */
export function aPdf(pages: readonly (readonly PdfLine[])[]): Buffer {
  return pdfOf(pages.map((lines) => Buffer.from(contentOf(lines))));
}

/** Of pages with these contents, which it compresses. */
export function pdfOf(contents: readonly Buffer[]): Buffer {
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from(`<< /Type /Pages /Count ${contents.length} /Kids [${contents.map((_, nth) => `${4 + nth * 2} 0 R`).join(' ')}] >>`),
    Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'),
    ...contents.flatMap((content, nth) => {
      const packed = deflateSync(content);
      return [
        Buffer.from(
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + nth * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        ),
        Buffer.concat([Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`), packed, Buffer.from('\nendstream')]),
      ];
    }),
  ];
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const places: number[] = [];
  let at = parts[0]?.length ?? 0;
  for (const [nth, object] of objects.entries()) {
    places.push(at);
    const part = Buffer.concat([Buffer.from(`${nth + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    parts.push(part);
    at += part.length;
  }
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(
    Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`),
  );
  return Buffer.concat(parts);
}

function contentOf(lines: readonly PdfLine[]): string {
  let y = 800;
  return lines
    .map(([size, text]) => {
      y -= size * 1.3;
      return `BT /F1 ${size} Tf 50 ${y} Td (${text}) Tj ET\n`;
    })
    .join('');
}
