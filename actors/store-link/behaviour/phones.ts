import { Refusal } from '../../../runtime/errors.ts';
import { countryFacts, isCountry } from '../../domain/countries.ts';
import { resolveNumber } from '../../domain/phone-numbers.ts';
import type { WrittenPhone } from './facts.ts';

/** Nobody writes a number longer than this. */
const MAX_WRITTEN = 100;

/** The digits of the first number that is one, each read by the habit of its own country; null: none is. */
export function firstNumber(phones: readonly WrittenPhone[], businessCallingCode: string): string | null {
  for (const { written, country } of phones.filter(({ written }) => written.length <= MAX_WRITTEN)) {
    const digits = numberOf(written, country !== null && isCountry(country) ? countryFacts(country).callingCode : businessCallingCode);
    if (digits !== null) return digits;
  }
  return null;
}

function numberOf(written: string, callingCode: string): string | null {
  try {
    return resolveNumber(written, callingCode);
  } catch (cause) {
    if (cause instanceof Refusal) return null;
    throw cause;
  }
}
