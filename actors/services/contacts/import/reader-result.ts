import type { ResultFile, TakenResult } from '../../../../runtime/child-processes/result-file.ts';
import { ChildEnded } from '../../../../runtime/child-processes/watched-process.ts';
import { isOneOf, isRecord, memberOf } from '../../../../runtime/shapes.ts';
import type { ImportedContact, RowError } from './cells.ts';
import type { JsonFault } from './json-rows.ts';
import type { ReadRows } from './read-rows.ts';

/** A JSON body that was read. */
export interface JsonBody {
  /** One record a line. To be closed. */
  readonly rows: TakenResult;
  readonly optIn: boolean;
}

const PHONE = /^\d{1,20}$/;
const VARS = ['var1', 'var2', 'var3', 'var4', 'var5'];
/** No cell that is read is longer, nor a text about one. */
const MAX_TEXT = 4_096;

/** What a child says of a JSON body. Rejects with ChildEnded where that has another shape than readers give it. */
export async function jsonIn(file: ResultFile): Promise<JsonBody | JsonFault> {
  const head = await wellFormed(file.next());
  const [fault, optIn] = [memberOf(head, 'fault'), memberOf(head, 'optIn')];
  if (isOneOf(['json', 'rows'] as const, fault)) return fault;
  if (typeof optIn !== 'boolean') throw malformed();
  return { rows: file.take(), optIn };
}

/** What a child says of a part of a file, of so many bytes from a line on. Rejects likewise. */
export async function rowsIn(file: ResultFile, part: { readonly bytes: number; readonly line: number }): Promise<ReadRows> {
  const contacts: ImportedContact[] = [];
  const errors: RowError[] = [];
  for (;;) {
    const value = await wellFormed(file.next());
    const [contact, error, end] = [memberOf(value, 'contact'), memberOf(value, 'error'), memberOf(value, 'end')];
    if (isContact(contact)) contacts.push(contact);
    else if (isError(error)) errors.push(error);
    else if (isEnd(end, part)) return { contacts, errors, ...end };
    else throw malformed();
  }
}

async function wellFormed(value: Promise<unknown>): Promise<unknown> {
  try {
    return await value;
  } catch (cause) {
    throw cause instanceof SyntaxError ? malformed() : cause;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isTextOrNone = (value: unknown): boolean => value === undefined || isText(value);
const areTexts = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isText);

function isContact(value: unknown): value is ImportedContact {
  if (!isRecord(value)) return false;
  const { row, phone, name, vars, group, tags, attrs, optIn, optOut } = value;
  return (
    isCount(row) &&
    typeof phone === 'string' &&
    PHONE.test(phone) &&
    isTextOrNone(name) &&
    isTextOrNone(group) &&
    areTexts(vars) &&
    isRecord(vars) &&
    Object.keys(vars).every((key) => VARS.includes(key)) &&
    Array.isArray(tags) &&
    tags.every(isText) &&
    areTexts(attrs) &&
    typeof optIn === 'boolean' &&
    typeof optOut === 'boolean'
  );
}

const isError = (value: unknown): value is RowError =>
  isRecord(value) &&
  isCount(value['row']) &&
  isText(value['field']) &&
  isText(memberOf(value['error'], 'en')) &&
  isText(memberOf(value['error'], 'id'));

function isEnd(
  value: unknown,
  { bytes, line }: { readonly bytes: number; readonly line: number },
): value is Omit<ReadRows, 'contacts' | 'errors'> {
  if (!isRecord(value)) return false;
  const { invalid, consumed, line: next } = value;
  return isCount(invalid) && isCount(consumed) && consumed <= bytes && isCount(next) && next >= line;
}

const malformed = (): Error => new ChildEnded('output');
