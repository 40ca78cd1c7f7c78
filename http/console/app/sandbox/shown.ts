import { signal } from '@preact/signals';
import { BASE } from '../../pages.ts';
import { keep, kept } from '../state/kept.ts';
import { shownCode } from '../state/sandbox.ts';

const WIDE = 1_100;
const ofTab = (): Storage => sessionStorage;

const chosen = signal<'yes' | 'no' | null>(known(kept('phone', ofTab)));

function known(value: string | null): 'yes' | 'no' | null {
  return value === 'yes' || value === 'no' ? value : null;
}

const GETS_CODE = new RegExp(`^${BASE}/(sign-in|sign-up)/?$`);

export function isPhoneShown(path: string): boolean {
  if (chosen.value !== null) return chosen.value === 'yes';
  return innerWidth >= WIDE && (GETS_CODE.test(path) || shownCode.value !== null);
}

export function togglePhone(path: string): void {
  chosen.value = isPhoneShown(path) ? 'no' : 'yes';
  keep('phone', chosen.value, ofTab);
}
