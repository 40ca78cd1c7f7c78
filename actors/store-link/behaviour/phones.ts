import { countryFacts, isCountry } from '../../domain/countries.ts';
import { openNumber } from '../../domain/numbers/read-number.ts';
import type { WrittenPhone } from './facts.ts';

const NOBODY: ReadonlySet<string> = new Set();

export function firstNumber(phones: readonly WrittenPhone[], businessCallingCode: string): string | null {
  for (const { written, country } of phones) {
    const callingCode = country !== null && isCountry(country) ? countryFacts(country).callingCode : businessCallingCode;
    const read = openNumber(written, { callingCode }).decide(NOBODY);
    if (read.kind === 'number') return read.digits;
  }
  return null;
}
