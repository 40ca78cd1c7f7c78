import { type SafeText, safeText } from '../../../../runtime/safe-text.ts';
import type { ImportColumn as Column, ImportError } from '../../../../store/jobs/jobs.ts';
import { couldBeFormula } from '../../../domain/csv.ts';
import { callingCodeIn } from '../../../domain/numbers/country-names.ts';
import { usernameIn } from '../../../domain/usernames.ts';
import { writtenLid } from '../../../network/subject.ts';
import { tagsIn } from '../tags-cell.ts';
import { consentIn } from './consent-cells.ts';
import { candidatesIn, emptyPhone } from './phone-cells.ts';

export interface ImportedContact {
  /** Line number in the file. For JSON, an index that starts at 1. */
  readonly row: number;
  readonly phone: string;
  readonly by: NamedBy;
  readonly lid?: string;
  readonly username?: string;
  readonly name?: string;
  readonly vars: Readonly<Record<string, string>>;
  readonly group?: string;
  readonly tags: readonly string[];
  readonly attrs: Readonly<Record<string, string>>;
  readonly optIn: boolean;
  readonly optOut: boolean;
  /** The row's calling code. Null if unknown; if absent, the country of the business is used. */
  readonly country?: string | null;
}

export interface ReadContact extends Omit<ImportedContact, 'phone'> {
  /** The row's numbers as written; without any, its hidden address, or `@` and its username. */
  readonly phones: readonly string[];
}

export interface FaultyRow {
  readonly errors: readonly RowError[];
  /** The row's person, whose opt-out counts even if the numbers are faulty. Null without a number. */
  readonly person: RowPerson | null;
}

export const NAMED_BY = ['phone', 'lid', 'username'] as const;
export type NamedBy = (typeof NAMED_BY)[number];

export type RowPerson = Pick<ReadContact, 'row' | 'phones' | 'by' | 'lid' | 'country' | 'optOut'>;

type Text = Readonly<Record<'en' | 'id', string>>;

export type RowError = ImportError;

export interface ReadingRules {
  readonly optIn: boolean;
}

export type Cells = readonly (readonly [Exclude<Column, null>, string])[];

const LONGEST = { name: 200, value: 500, label: 50, phone: 4_000 };
const MAX_TAGS = 50;
export function contactFrom(row: number, cells: Cells, rules: ReadingRules): ReadContact | FaultyRow {
  const filled = cells.map(([column, text]) => [column, plain(text)] as const).filter(([, text]) => text !== '');
  const given = new Map(filled.toReversed());
  const all = (field: Column): readonly string[] => filled.flatMap(([column, text]) => (column === field ? [text] : []));
  const errors: RowError[] = [];
  const wrong = (field: string, code: string, error: Text): void => void errors.push({ row, field, error, code });
  const lid = writtenLid(given.get('lid') ?? '');
  const username = usernameIn(given.get('username'));
  const { by, phones } = namedIn(candidatesIn(all('phone')), given, lid);
  if (phones.length === 0) errors.push(emptyPhone(row));
  for (const [column, text] of given) if (text.length > longest(column)) wrong(column, 'too_long', tooLong(longest(column)));
  const tags = tagsIn(given.get('tags') ?? '');
  if (tags.length > MAX_TAGS) wrong('tags', 'too_many', { en: `more than ${MAX_TAGS} tags`, id: `lebih dari ${MAX_TAGS} tag` });
  if (tags.some((tag) => tag.length > LONGEST.label))
    wrong('tags', 'too_long', {
      en: `a tag is longer than ${LONGEST.label} characters`,
      id: `sebuah tag lebih dari ${LONGEST.label} karakter`,
    });
  const consent = consentIn(
    all,
    filled.map(([, text]) => text),
  );
  for (const field of consent.unclear) wrong(field, 'not_yes_or_no', { en: 'must be yes or no', id: 'harus ya atau tidak' });
  const country = given.get('country');
  const person = { row, phones, by, ...(lid && { lid }), optOut: consent.isRefused, ...(country && { country: callingCodeIn(country) }) };
  if (errors.length > 0) return { errors, person: phones.length > 0 ? person : null };
  const name = given.get('name') ?? [given.get('first_name'), given.get('last_name')].filter(Boolean).join(' ');
  const group = given.get('group');
  return {
    ...person,
    ...(username && { username }),
    ...(name && { name }),
    vars: collected(given, /^(var\d)$/),
    ...(group && { group }),
    tags,
    attrs: collected(given, /^attr\.(.+)$/),
    optIn: !consent.isRefused && (consent.isAgreed ?? rules.optIn),
  };
}

/** Without a number, prefers the hidden address to the username, because usernames may change. */
function namedIn(numbers: readonly string[], given: ReadonlyMap<string, string>, lid: string | null): Pick<RowPerson, 'by' | 'phones'> {
  const [address, username] = [given.get('lid'), given.get('username')];
  if (numbers.length > 0 || (address === undefined && username === undefined)) return { by: 'phone', phones: numbers };
  if (address !== undefined && (lid !== null || username === undefined)) return { by: 'lid', phones: [address.slice(0, LONGEST_SHOWN)] };
  return { by: 'username', phones: [`@${username?.replace(/^@/, '') ?? ''}`.slice(0, LONGEST_SHOWN)] };
}

const LONGEST_SHOWN = 200;

const tooLong = (most: number): Text => ({ en: `longer than ${most} characters`, id: `lebih dari ${most} karakter` });

function longest(column: Exclude<Column, null>): number {
  if (column === 'name' || column === 'first_name' || column === 'last_name') return LONGEST.name;
  if (column === 'phone') return LONGEST.phone;
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

/** Removes what spreadsheets add to force a cell to be text: an apostrophe, or `="…"`. */
function plain(text: string): SafeText {
  const bare = text
    .toWellFormed()
    .replace(/[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\0]/g, '')
    .replace(/\u00A0/g, ' ')
    .replace(/\u2028/g, '\n')
    .trim();
  return safeText((/^="(.*)"$/s.exec(bare)?.[1] ?? unguarded(bare)).trim());
}

/** Removes an apostrophe before a formula or digit. Elsewhere, it may belong to a name ('t Hart). */
function unguarded(text: string): string {
  const rest = text.slice(1);
  return text.startsWith("'") && (couldBeFormula(rest) || /^\d/.test(rest)) ? rest : text;
}
