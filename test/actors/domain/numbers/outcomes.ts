import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { openNumber } from '../../../../actors/domain/numbers/read-number.ts';
import { at, present } from '../../../../runtime/invariant.ts';

/** Countries of businesses from which every example number is read. */
export const HOMES =
  'AR:54 AT:43 AU:61 BR:55 CI:225 CN:86 DE:49 EG:20 ES:34 FI:358 FR:33 GB:44 HK:852 ID:62 IN:91 IT:39 JP:81 KE:254 KR:82 MX:52 MY:60 NG:234 PH:63 SA:966 SG:65 US:1 ZA:27'
    .split(' ')
    .map((home) => home.split(':'))
    .map(([country = '', callingCode = '']) => ({ country, callingCode }));

export interface Example {
  readonly country: string;
  readonly digits: string;
  readonly types: string;
}

export const examples: readonly Example[] = readFileSync(join(import.meta.dirname, 'example-numbers.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split(' '))
  .map(([country = '', digits = '', types = '']) => ({ country, digits, types }));

/** One mobile of each country; a number that is a mobile's only among others where there is no such. */
export const mobiles: readonly Example[] = [...Map.groupBy(examples, ({ country }) => country).values()].map((own) =>
  at([...own.filter(({ types }) => types.split('+').includes('MOBILE')), ...own], 0),
);

const NOBODY: ReadonlySet<string> = new Set();

/** `=`: the number itself; `?`: ambiguous; `-`: refused; else the digits of somebody else. */
export function outcome(text: string, callingCode: string, digits: string, known = NOBODY): string {
  const read = openNumber(text, { callingCode }).decide(known);
  if (read.kind === 'number') return read.digits === digits ? '=' : read.digits;
  return read.kind === 'ambiguous' ? '?' : '-';
}

/** What the reader makes of an example in each form at home, and of its bare digits from elsewhere (as in `outcomes.txt`). */
export function outcomesOf({ country, digits, types }: Example): string {
  const number = present(parsePhoneNumberFromString(`+${digits}`), digits);
  const code = number.countryCallingCode;
  const home = (text: string): string => outcome(text, code, digits);
  const forms = [number.formatNational(), `+${digits}`, `0${number.nationalNumber}`, `00${digits}`, number.nationalNumber, digits];
  const elsewhere = HOMES.filter(({ callingCode }) => callingCode !== code)
    .map((one) => [one.country, outcome(digits, one.callingCode, digits)])
    .filter(([, said]) => said !== '=');
  return [country, digits, types, ...forms.map(home), ...elsewhere.map((one) => one.join(':'))].join(' ');
}
