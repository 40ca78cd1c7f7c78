import type { ResultFile, TakenResult } from '../../../../runtime/child-processes/result-file.ts';
import { ChildEnded } from '../../../../runtime/child-processes/watched-process.ts';
import { isOneOf, isRecord, memberOf } from '../../../../runtime/shapes.ts';
import { NAMED_BY, type ReadContact, type RowError, type RowPerson } from './cells.ts';
import type { JsonFault } from './json-rows.ts';
import type { ReadRows } from './read-rows.ts';

export interface JsonBody {
  /** One record per line. The caller must close the file. */
  readonly rows: TakenResult;
  readonly optIn: boolean;
}

export interface ConvertedTable {
  /** The CSV text. The caller must close the file. */
  readonly text: TakenResult;
  readonly others: readonly string[];
}

export async function tableIn(file: ResultFile): Promise<ConvertedTable | { readonly fault: RowError['error'] }> {
  const head = await wellFormed(file.next());
  const fault = memberOf(head, 'fault');
  const [en, id] = [memberOf(fault, 'en'), memberOf(fault, 'id')];
  if (isText(en) && isText(id)) return { fault: { en, id } };
  const others = memberOf(head, 'others');
  if (memberOf(head, 'ok') !== true || !Array.isArray(others) || !others.every(isText)) throw malformed();
  return { text: file.take(), others };
}

const VARS = ['var1', 'var2', 'var3', 'var4', 'var5'];
const MAX_TEXT = 4_096;

/** Rejects with ChildEnded when the result is malformed. */
export async function jsonIn(file: ResultFile): Promise<JsonBody | JsonFault> {
  const head = await wellFormed(file.next());
  const [fault, optIn] = [memberOf(head, 'fault'), memberOf(head, 'optIn')];
  if (isOneOf(['json', 'rows'] as const, fault)) return fault;
  if (typeof optIn !== 'boolean') throw malformed();
  return { rows: file.take(), optIn };
}

export async function rowsIn(file: ResultFile, part: { readonly bytes: number; readonly line: number }): Promise<ReadRows> {
  const contacts: ReadContact[] = [];
  const errors: RowError[] = [];
  const persons: RowPerson[] = [];
  for (;;) {
    const value = await wellFormed(file.next());
    const [contact, error, person, end] = (['contact', 'error', 'person', 'end'] as const).map((name) => memberOf(value, name));
    if (isContact(contact)) contacts.push(contact);
    else if (isError(error)) errors.push(error);
    else if (isPerson(person)) persons.push(person);
    else if (isEnd(end, part)) return { contacts, errors, persons, ...end };
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

function isContact(value: unknown): value is ReadContact {
  if (!isRecord(value)) return false;
  const { username, name, vars, group, tags, attrs, optIn } = value;
  return (
    isPerson(value) &&
    isTextOrNone(username) &&
    isTextOrNone(name) &&
    isTextOrNone(group) &&
    areTexts(vars) &&
    isRecord(vars) &&
    Object.keys(vars).every((key) => VARS.includes(key)) &&
    Array.isArray(tags) &&
    tags.every(isText) &&
    areTexts(attrs) &&
    typeof optIn === 'boolean'
  );
}

function isPerson(value: unknown): value is RowPerson {
  if (!isRecord(value)) return false;
  const { row, phones, by, lid, country, optOut } = value;
  const isCountry = country === null || country === undefined || (typeof country === 'string' && /^\d{1,4}$/.test(country));
  const isNamed = Array.isArray(phones) && phones.length > 0 && phones.every(isText) && isOneOf(NAMED_BY, by) && isTextOrNone(lid);
  return isCount(row) && isNamed && isCountry && typeof optOut === 'boolean';
}

const isError = (value: unknown): value is RowError =>
  isRecord(value) &&
  isCount(value['row']) &&
  isText(value['field']) &&
  isText(value['code']) &&
  isText(memberOf(value['error'], 'en')) &&
  isText(memberOf(value['error'], 'id'));

function isEnd(
  value: unknown,
  { bytes, line }: { readonly bytes: number; readonly line: number },
): value is Omit<ReadRows, 'contacts' | 'errors' | 'persons'> {
  if (!isRecord(value)) return false;
  const { invalid, consumed, line: next } = value;
  return isCount(invalid) && isCount(consumed) && consumed <= bytes && isCount(next) && next >= line;
}

const malformed = (): Error => new ChildEnded('output');
