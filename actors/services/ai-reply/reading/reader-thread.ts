import { serveTask } from '../../../../runtime/one-task-thread.ts';
import type { DocumentType } from '../../../../store/ai-reply/documents.ts';
import { passagesOf } from './passages.ts';
import { type Contents, REASONS, type Reading, Unreadable } from './reading.ts';
import { blocksOfCsv } from './tables.ts';
import { blocksOfMarkdown, blocksOfText, decoded } from './texts.ts';
import { namesInZip } from './zip.ts';

export interface ReadTask {
  readonly bytes: Uint8Array;
  /** By its name; its bytes decide where they tell. */
  readonly ext: DocumentType;
}

/** Pages read, of all. */
export type ReadProgress = number;

/** The thread in which one file is read: files are hostile. */
serveTask<ReadTask, ReadProgress, Reading>(async (task, tell) => {
  try {
    const bytes = Buffer.from(task.bytes.buffer, task.bytes.byteOffset, task.bytes.byteLength);
    if (bytes.length === 0) throw new Unreadable(REASONS.empty);
    const ext = typeOf(bytes, task.ext);
    const { title, blocks } = await contentsOf(bytes, ext, tell);
    return { ok: true, title, ext, passages: passagesOf(blocks) };
  } catch (cause) {
    return { ok: false, reason: cause instanceof Unreadable ? cause.reason : REASONS.broken };
  }
});

/** Libraries are loaded where a file needs them. */
async function contentsOf(bytes: Buffer, ext: DocumentType, tell: (done: ReadProgress) => void): Promise<Contents> {
  switch (ext) {
    case 'pdf':
      return (await import('./pdf.ts')).contentsOfPdf(new Uint8Array(bytes), (done, of) => tell(done / of));
    case 'docx':
      return (await import('./office.ts')).contentsOfDocx(bytes);
    case 'xlsx':
      return (await import('./office.ts')).contentsOfXlsx(bytes);
    case 'html':
      return (await import('./html.ts')).contentsOfHtml(decoded(bytes), true);
    case 'csv':
      return { title: null, blocks: blocksOfCsv(decoded(bytes)) };
    case 'md':
      return { title: null, blocks: blocksOfMarkdown(decoded(bytes)) };
    case 'txt':
      return { title: null, blocks: blocksOfText(decoded(bytes)) };
  }
}

/** What the bytes say; a name decides between kinds of text only. */
function typeOf(bytes: Buffer, named: DocumentType): DocumentType {
  if (bytes.subarray(0, 1_024).includes('%PDF-')) return 'pdf';
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04') {
    const names = namesInZip(bytes);
    if (names.includes('word/document.xml')) return 'docx';
    if (names.includes('xl/workbook.xml')) return 'xlsx';
    throw new Unreadable(REASONS.broken);
  }
  if (named === 'pdf' || named === 'docx' || named === 'xlsx') throw new Unreadable(REASONS.broken);
  return named;
}
