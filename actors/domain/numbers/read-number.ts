import { RecentCache } from '../../../runtime/recent-cache.ts';
import { refusal } from '../refusals.ts';
import { abroad, type Degree, international, national, type Planned, withoutMistake } from './plans.ts';
import { twinsOf } from './twins.ts';
import { type NotOneNumber, type Written, writtenNumber } from './written-number.ts';

/**
 * The only reader of phone numbers written by people and programs. The rules apply in this order:
 *
 * 1. A number with `+` or `00`, or a network address, is taken as written.
 * 2. Digits that are exactly the number of a person whom the tenant knows mean that person.
 * 3. Digits in the national form (with the trunk digit if that form has one) are a domestic number.
 * 4. Digits that are a valid number with a country code are that number.
 * 5. Digits that lack only the trunk digit (removed by a spreadsheet) are that domestic number.
 *
 * If a country is named next to the number and can have such a number, it replaces the home
 * country. If both 4 and 5 give a mobile, the number is ambiguous. If only one does, that one is
 * used, because mobiles have chats. Invariant: digits that the product shows are read back as the
 * same person. A number that the network reports is accepted even if no plan contains it.
 * Everything here is pure: `openNumber` returns the digits to look up, and `decide` receives those
 * that are known.
 */

export type NumberRead =
  | { readonly kind: 'number'; readonly digits: string }
  | { readonly kind: 'ambiguous'; readonly readings: readonly string[] }
  | { readonly kind: NotANumber };

export type NotANumber = NotOneNumber | 'no_country' | 'unknown_username';

export interface NumberRules {
  readonly callingCode: string | null;
  readonly bare?: 'national' | 'international' | undefined;
}

export interface OpenNumber {
  /** At most four numbers to look up among known people. Empty if the answers could change nothing. */
  readonly asks: readonly string[];
  decide(known: ReadonlySet<string>): NumberRead;
}

/** Cached, because reading takes about 10 µs, and the same few thousand recipients recur. */
const opened = new RecentCache<string, OpenNumber>(20_000);
const LONGEST_REMEMBERED = 40;

export function openNumber(text: string, rules: NumberRules): OpenNumber {
  if (text.length > LONGEST_REMEMBERED) return open(writtenNumber(text), rules);
  const key = `${rules.callingCode}|${rules.bare ?? ''}|${text}`;
  const remembered = opened.get(key);
  if (remembered) return remembered;
  const made = open(writtenNumber(text), rules);
  opened.set(key, made);
  return made;
}

function open(written: Written, given: NumberRules): OpenNumber {
  if (written.kind === 'address') return settled({ kind: 'number', digits: written.digits });
  if (written.kind !== 'number') return settled(written);
  const { digits, isInternational, country } = written;
  // Use a country named nearby only if the number fits it. The word may be a name, such as Jordan.
  const rules = country !== undefined && national(digits, country) ? { ...given, callingCode: country } : given;
  if (isInternational) return exact(digits.replace(/^00/, ''), null);
  // The prefix can be longer than 00: 0011 in Australia, 001 in Indonesia and Singapore.
  if (digits.startsWith('00')) return exact(digits.slice(2), dialledAbroad(digits, rules));
  if (digits.startsWith('0')) return atHome(digits, rules);
  return bare(digits, rules);
}

const settled = (outcome: NumberRead): OpenNumber => ({ asks: [], decide: () => outcome });

/** Reads an international number. If no plan fits, the network must have reported its digits before. */
function exact(digits: string, instead: Planned | null): OpenNumber {
  const whole = international(digits) ?? withoutMistake(digits);
  // After `00`, a reading with a longer prefix wins unless the digits are certainly valid.
  const found = instead && !(whole && isValid(whole)) ? instead : whole;
  return found ? person(found.digits) : isWhole(digits) ? knownFirst(digits, { kind: 'not_a_number' }) : settled({ kind: 'not_a_number' });
}

function atHome(digits: string, { callingCode }: NumberRules): OpenNumber {
  if (callingCode === null) return settled({ kind: 'no_country' });
  const home = national(digits, callingCode);
  // A number with the prefix 01 may be a call abroad, so read it as national only if certainly valid.
  const found = home && (!digits.startsWith('01') || isValid(home)) ? home : (abroad(digits, callingCode) ?? home);
  return found ? person(found.digits) : settled({ kind: 'not_a_number' });
}

function bare(digits: string, rules: NumberRules): OpenNumber {
  const outcome = bareOutcome(digits, rules);
  if (outcome.kind !== 'number') return isWhole(digits) ? knownFirst(digits, outcome) : settled(outcome);
  return outcome.digits === digits || !isWhole(digits) ? person(outcome.digits) : knownFirst(digits, outcome);
}

function bareOutcome(digits: string, { callingCode, bare: meant }: NumberRules): NumberRead {
  const whole = international(digits);
  const home = callingCode === null ? null : national(digits, callingCode);
  if (whole && whole.digits === home?.digits) return found(whole);
  const isHomeForm = home?.nationalForm() === digits;
  if (home && isHomeForm && isValid(home) && !(meant === 'international' && whole && isValid(whole))) return found(home);
  // The digits start with the home country's code, so they do not lack a leading zero.
  if (whole && whole.callingCode === callingCode && whole.degree() !== 'possible') return found(whole);
  const restored = callingCode === null ? null : better(national(`0${digits}`, callingCode), home);
  const decided = between(whole, restored, meant);
  if (decided) return decided;
  const dialled = dialledAbroad(digits, { callingCode });
  if (dialled) return found(dialled);
  // No known range contains the number, but the plan may be newer than our copy of it.
  if (whole && (whole.degree() === 'plausible' || whole.callingCode === callingCode)) return found(whole);
  return home && isHomeForm && home.degree() === 'plausible' ? found(home) : { kind: 'not_a_number' };
}

const dialledAbroad = (digits: string, { callingCode }: NumberRules): Planned | null =>
  callingCode === null ? null : abroad(digits, callingCode);

function between(whole: Planned | null, restored: Planned | null, meant: NumberRules['bare']): NumberRead | null {
  const [abroad, home] = [whole && isValid(whole) ? whole : null, restored && isValid(restored) ? restored : null];
  const only = abroad ?? home;
  if (!abroad || !home) return only && found(only);
  if (meant !== undefined) return found(meant === 'national' ? home : abroad);
  if (home.degree() !== 'mobile') return found(abroad);
  return abroad.degree() === 'mobile' ? { kind: 'ambiguous', readings: [home.digits, abroad.digits] } : found(home);
}

const found = ({ digits }: Planned): NumberRead => ({ kind: 'number', digits });

function isValid(one: Planned): boolean {
  const degree = one.degree();
  return degree === 'mobile' || degree === 'valid';
}

const DEGREES: readonly Degree[] = ['mobile', 'valid', 'plausible', 'possible'];

const rank = (one: Planned | null): number => (one ? DEGREES.indexOf(one.degree()) : DEGREES.length);

const better = (first: Planned | null, second: Planned | null): Planned | null => (rank(second) < rank(first) ? second : first);

const isWhole = (digits: string): boolean => /^[1-9]\d{6,14}$/.test(digits);

function person(digits: string): OpenNumber {
  const twins = twinsOf(digits);
  if (twins.length === 0) return settled({ kind: 'number', digits });
  return { asks: [digits, ...twins], decide: (known) => ({ kind: 'number', digits: formOf(digits, twins, known) }) };
}

const formOf = (digits: string, twins: readonly string[], known: ReadonlySet<string>): string =>
  known.has(digits) ? digits : (twins.find((twin) => known.has(twin)) ?? digits);

function knownFirst(digits: string, otherwise: NumberRead): OpenNumber {
  const other = otherwise.kind === 'number' ? person(otherwise.digits) : settled(otherwise);
  return {
    asks: [digits, ...other.asks],
    decide: (known) => (known.has(digits) ? { kind: 'number', digits } : other.decide(known)),
  };
}

export const codeOf = ({ kind }: Exclude<NumberRead, { kind: 'number' }>): NumberFault =>
  kind === 'ambiguous' ? 'ambiguous_number' : kind === 'not_a_number' ? 'invalid_number' : kind;

export type NumberFault = 'ambiguous_number' | 'invalid_number' | Exclude<NotANumber, 'not_a_number'>;

export function sentenceOf(text: string, read: Exclude<NumberRead, { kind: 'number' }>): Readonly<Record<'en' | 'id', string>> {
  const shown = text.slice(0, LONGEST_SHOWN);
  if (read.kind === 'ambiguous') {
    const [first, second] = readingsOf(read);
    return {
      en: `${shown} could be two different people; write ${first} or ${second}`,
      id: `${shown} bisa berarti dua orang; tulis ${first} atau ${second}`,
    };
  }
  const { en, id } = SENTENCES[read.kind];
  return read.kind === 'empty' ? { en, id } : { en: `${shown}: ${en}`, id: `${shown}: ${id}` };
}

const LONGEST_SHOWN = 32;

const SENTENCES: Readonly<Record<NotANumber, Readonly<Record<'en' | 'id', string>>>> = {
  empty: { en: 'empty', id: 'kosong' },
  not_a_number: { en: 'not a phone number', id: 'bukan nomor telepon' },
  several_numbers: { en: 'contains more than one phone number', id: 'lebih dari satu nomor telepon' },
  digits_lost: {
    en: 'a spreadsheet cut off the last digits (scientific notation); format the column as text',
    id: 'digit terakhirnya hilang di spreadsheet (notasi ilmiah); ubah format kolom menjadi teks',
  },
  no_country: { en: 'write it with + and the country code', id: 'tulis dengan + dan kode negara' },
  unknown_username: { en: 'none of your contacts has this username', id: 'tidak ada kontak Anda yang memakai nama pengguna ini' },
};

export const readingsOf = ({ readings }: Extract<NumberRead, { kind: 'ambiguous' }>): readonly string[] => readings.map((one) => `+${one}`);

export const digitsByForm = (text: string, callingCode: string | null): string =>
  digitsRead(text, openNumber(text, { callingCode }).decide(NOBODY));

const NOBODY: ReadonlySet<string> = new Set();

/** Fails with INVALID_NUMBER. The error lists `readings` if the number may belong to two people. */
export function digitsRead(text: string, read: NumberRead): string {
  if (read.kind === 'number') return read.digits;
  throw refusal('INVALID_NUMBER', { reason: sentenceOf(text, read), ...(read.kind === 'ambiguous' && { readings: readingsOf(read) }) });
}
