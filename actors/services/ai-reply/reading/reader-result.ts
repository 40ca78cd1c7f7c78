import type { ResultFile } from '../../../../runtime/child-processes/result-file.ts';
import { ChildEnded } from '../../../../runtime/child-processes/watched-process.ts';
import { isOneOf, isRecord, memberOf } from '../../../../runtime/shapes.ts';
import { DOCUMENT_TYPES, type DocumentType } from '../../../../store/ai-reply/documents.ts';
import { type LeftOut, leftOutIn } from './left-out.ts';
import { MAX_HEADING, MAX_PASSAGE } from './passages.ts';
import { MAX_PASSAGES, MAX_TITLE, type Passage, REASONS, type Reading } from './reading.ts';

/** Rejects with ChildEnded if the result is malformed. */
export async function readingIn(file: ResultFile, bytes: number): Promise<Reading> {
  const passages: Passage[] = [];
  let head: Head | null = null;
  for await (const line of wellFormed(file)) {
    const refused = memberOf(line, 'refused');
    const reason = Object.entries(REASONS).find(([name]) => name === refused)?.[1];
    if (reason) return { ok: false, reason };
    if (head === null) head = headIn(line);
    else passages.push(passageIn(line));
    if (passages.length > MAX_PASSAGES) throw malformed();
  }
  if (head === null || passages.length === 0) throw malformed();
  return { ok: true, ...head, passages, bytes };
}

interface Head {
  readonly title: string | null;
  readonly ext: DocumentType;
  readonly leftOut: readonly LeftOut[];
}

async function* wellFormed(file: ResultFile): AsyncGenerator<unknown> {
  try {
    yield* file.values();
  } catch (cause) {
    throw cause instanceof SyntaxError ? malformed() : cause;
  }
}

function headIn(line: unknown): Head {
  const [title, ext, leftOut] = [memberOf(line, 'title'), memberOf(line, 'ext'), leftOutIn(memberOf(line, 'leftOut'))];
  if ((title !== null && !isText(title, MAX_TITLE)) || !isOneOf(DOCUMENT_TYPES, ext) || leftOut === null) throw malformed();
  return { title, ext, leftOut };
}

function passageIn(line: unknown): Passage {
  if (!isRecord(line)) throw malformed();
  const { heading, text, isAnswer } = line;
  if (!isText(heading, MAX_HEADING) || !isText(text, MAX_PASSAGE) || text === '') throw malformed();
  return { heading, text, ...(isAnswer === true && { isAnswer }) };
}

const isText = (value: unknown, most: number): value is string => typeof value === 'string' && value.length <= most;

const malformed = (): Error => new ChildEnded('output');
