import { serveJobs } from '../../../../runtime/child-processes/serve-jobs.ts';
import { isOneOf, memberOf } from '../../../../runtime/shapes.ts';
import { DOCUMENT_TYPES, type DocumentType } from '../../../../store/ai-reply/documents.ts';
import { Unreadable } from '../../archives/unreadable.ts';
import { filesInZip } from '../../archives/zip.ts';
import { passagesOf } from './passages.ts';
import { type Contents, REASONS } from './reading.ts';
import { blocksOfCsv } from './tables.ts';
import { blocksOfText, contentsOfMarkdown, decoded } from './texts.ts';

serveJobs(async (order, { input, report, put }) => {
  try {
    if (input.length === 0) throw new Unreadable(REASONS.empty);
    const named = memberOf(order, 'ext');
    const ext = typeOf(input, isOneOf(DOCUMENT_TYPES, named) ? named : 'txt');
    const { title, blocks, leftOut } = await contentsOf(input, ext, report);
    const passages = passagesOf(blocks);
    put({ title, ext, leftOut });
    for (const { heading, text, isAnswer } of passages) put({ heading, text, ...(isAnswer && { isAnswer }) });
  } catch (cause) {
    const reason = cause instanceof Unreadable ? cause.reason : REASONS.broken;
    put({ refused: Object.entries(REASONS).find(([, words]) => words === reason)?.[0] ?? 'broken' });
  }
});

async function contentsOf(bytes: Buffer, ext: DocumentType, report: (progress: number) => void): Promise<Contents> {
  switch (ext) {
    case 'pdf':
      return (await import('./pdf.ts')).contentsOfPdf(new Uint8Array(bytes), (done, of) => report(done / of));
    case 'docx':
      return (await import('./docx.ts')).contentsOfDocx(bytes);
    case 'xlsx':
      return (await import('./xlsx.ts')).contentsOfXlsx(bytes);
    case 'html':
      return (await import('./html.ts')).contentsOfHtml(decoded(bytes), true);
    case 'csv':
      return { title: null, blocks: blocksOfCsv(decoded(bytes)), leftOut: [] };
    case 'md':
      return contentsOfMarkdown(decoded(bytes));
    case 'txt':
      return { title: null, blocks: blocksOfText(decoded(bytes)), leftOut: [] };
  }
}

/** The bytes determine the type. The name only decides between kinds of text (CSV, Markdown). */
function typeOf(bytes: Buffer, named: DocumentType): DocumentType {
  if (bytes.subarray(0, 1_024).includes('%PDF-')) return 'pdf';
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04') {
    const names = filesInZip(bytes).map(({ name }) => name);
    if (names.includes('word/document.xml')) return 'docx';
    if (names.includes('xl/workbook.xml')) return 'xlsx';
    throw new Unreadable(REASONS.broken);
  }
  if (named === 'pdf' || named === 'docx' || named === 'xlsx') throw new Unreadable(REASONS.broken);
  return named;
}
