import { Refusal } from '../../../../runtime/errors.ts';
import { present } from '../../../../runtime/invariant.ts';
import { normalized, type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import type { ImportColumn as Column } from '../../../../store/jobs/jobs.ts';
import { couldBeFormula } from '../../../domain/csv.ts';
import { resolveNumber } from '../../../domain/phone-numbers.ts';
import { tagsIn } from '../tags-cell.ts';
import { consentIn } from './consent-cells.ts';

/** The contact data of a file's row. Empty cells are ignored. */
export interface ImportedContact {
  /** The line in the file, the header being line 1; of JSON the index from 1. */
  readonly row: number;
  /** Digits. */
  readonly phone: string;
  readonly name?: string;
  readonly vars: Readonly<Record<string, string>>;
  readonly group?: string;
  readonly tags: readonly string[];
  readonly attrs: Readonly<Record<string, string>>;
  readonly optIn: boolean;
  /** The row says that the person refused. */
  readonly optOut: boolean;
}

type Text = Readonly<Record<'en' | 'id', string>>;

export interface RowError {
  readonly row: number;
  readonly field: string;
  readonly error: Text;
}

export interface ReadingRules {
  /** Digits; numbers in local format are resolved against it. */
  readonly callingCode: string;
  /** Everybody in the file agreed. */
  readonly optIn: boolean;
}

export type Cells = readonly (readonly [Exclude<Column, null>, string])[];

const LONGEST = { name: 200, value: 500, label: 50 };
const MAX_TAGS = 50;
/** One row, or all that is wrong with it. */
export function contactFrom(row: number, cells: Cells, rules: ReadingRules): ImportedContact | readonly RowError[] {
  const given = new Map(cells.map(([column, text]) => [column, plain(text)] as const).filter(([, text]) => text !== ''));
  const errors: RowError[] = [];
  const wrong = (field: string, error: Text): void => void errors.push({ row, field, error });
  const phone = phoneFrom(given.get('phone'), rules.callingCode);
  if ('error' in phone) wrong('phone', phone.error);
  for (const [column, text] of given) if (text.length > longest(column)) wrong(column, tooLong(longest(column)));
  const tags = tagsIn(given.get('tags') ?? '');
  if (tags.length > MAX_TAGS) wrong('tags', { en: `more than ${MAX_TAGS} tags`, id: `lebih dari ${MAX_TAGS} tag` });
  if (tags.some((tag) => tag.length > LONGEST.label))
    wrong('tags', { en: `a tag is longer than ${LONGEST.label} characters`, id: `sebuah tag lebih dari ${LONGEST.label} karakter` });
  const consent = consentIn(given);
  for (const field of consent.unclear) wrong(field, { en: 'must be yes or no', id: 'harus ya atau tidak' });
  if (errors.length > 0 || 'error' in phone) return errors;
  const name = given.get('name') ?? [given.get('first_name'), given.get('last_name')].filter(Boolean).join(' ');
  const group = given.get('group');
  return {
    row,
    phone: phone.digits,
    ...(name && { name }),
    vars: collected(given, /^(var\d)$/),
    ...(group && { group }),
    tags,
    attrs: collected(given, /^attr\.(.+)$/),
    optIn: !consent.isRefused && (consent.isAgreed ?? rules.optIn),
    optOut: consent.isRefused,
  };
}

const tooLong = (most: number): Text => ({ en: `longer than ${most} characters`, id: `lebih dari ${most} karakter` });

function longest(column: Exclude<Column, null>): number {
  if (column === 'name' || column === 'first_name' || column === 'last_name') return LONGEST.name;
  return column === 'group' ? LONGEST.label : column === 'tags' ? MAX_TAGS * (LONGEST.label + 4) : LONGEST.value;
}

function collected(given: ReadonlyMap<string, string>, pattern: RegExp): Record<string, string> {
  return Object.fromEntries(
    [...given].flatMap(([column, text]) => {
      const key = pattern.exec(column)?.[1];
      return key === undefined ? [] : [[key, text] as const];
    }),
  );
}

/** Decoration that spreadsheets put around a text so that it stays a text: an apostrophe, `="…"`; also invisible and half characters. */
function plain(text: string): SafeText {
  const bare = text
    .toWellFormed()
    .replace(/[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\0]/g, '')
    .replace(/\u00A0/g, ' ')
    .trim();
  return safeText((/^="(.*)"$/s.exec(bare)?.[1] ?? unguarded(bare)).trim());
}

/** Names begin with an apostrophe, too ('t Hart). */
function unguarded(text: string): string {
  const rest = text.slice(1);
  return text.startsWith("'") && (couldBeFormula(rest) || /^\d/.test(rest)) ? rest : text;
}

const SCIENTIFIC = /^\+?(\d)(?:[.,](\d+))?E\+?(\d{1,2})$/i;

type ReadPhone = { readonly digits: string } | { readonly error: Text };

function phoneFrom(text: string | undefined, callingCode: string): ReadPhone {
  if (text === undefined) return { error: { en: 'empty', id: 'kosong' } };
  const written = wholeNumber(inDigits(text).replace(/^tel:/i, ''));
  const shown = text.slice(0, 32);
  if (written === null)
    return {
      error: {
        en: `${shown}: a spreadsheet cut its last digits off (scientific notation); format the column as text`,
        id: `${shown}: digit terakhirnya hilang di spreadsheet (notasi ilmiah); ubah format kolom menjadi teks`,
      },
    };
  try {
    return { digits: resolveNumber(written, callingCode) };
  } catch (cause) {
    if (cause instanceof Refusal) return { error: { en: `${shown}: not a phone number`, id: `${shown}: bukan nomor telepon` } };
    throw cause;
  }
}

/** Digits of any script as ASCII ones: keyboards and locales write their own. */
const inDigits = (text: string): string => normalized(safeText(text), 'NFKC').replace(/\p{Nd}/gu, digitOf);

/** The ten digits of a script follow one another in Unicode. */
function digitOf(digit: string): string {
  const at = present(digit.codePointAt(0), 'a digit');
  let zero = at;
  while (at - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(at - zero);
}

/** A number written as a floating point one, where all of its digits are there; null: some are lost. */
function wholeNumber(text: string): string | null {
  const [, first, rest = '', exponent] = SCIENTIFIC.exec(text) ?? [];
  if (first === undefined) return text.replace(/^(\+?\d{6,})[.,]0+$/, '$1').replace(/[./\u2010-\u2015]/g, '-');
  return rest.length === Number(exponent) ? `${first}${rest}` : null;
}
