import { signal } from '@preact/signals';
import { answered } from '../api/request.ts';
import { keep, kept } from './kept.ts';

/** Are there simulated phones? */
export const hasSandbox = document.documentElement.dataset['sandbox'] === 'yes';

const ofTab = (): Storage => sessionStorage;

/** Digits of the phone that is shown in the corner. */
export const sandboxNumber = signal(kept('sandbox-number', ofTab) ?? '');

/** Nothing is kept of a number where there are no simulated phones. */
export function showPhone(number: string): void {
  if (!hasSandbox) return;
  sandboxNumber.value = number;
  keep('sandbox-number', number, ofTab);
}

/** The code that a device shows now, for the phone to scan. */
export const shownCode = signal<string | null>(null);

/** Of a message on a simulated phone. */
export interface PhoneMessage {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly body: string | null;
  readonly at: number;
}

export const digitsOf = (number: string): string => number.replace(/\D/g, '');

/** Whether `number` can be a phone at all. */
export const isNumber = (number: string): boolean => /^\d{5,15}$/.test(digitsOf(number));

export async function messagesOn(number: string): Promise<readonly PhoneMessage[]> {
  const { messages } = await answered<{ readonly messages: readonly PhoneMessage[] }>({
    method: 'GET',
    path: `/sandbox/phones/${digitsOf(number)}/messages`,
  });
  return messages;
}

/** The phone links the device that shows the code. */
export const scan = (number: string, qr: string): Promise<unknown> =>
  answered({ method: 'POST', path: `/sandbox/phones/${digitsOf(number)}/scan`, body: { qr } });

/** The phone writes to a device's number. */
export const write = (number: string, to: string, body: string): Promise<unknown> =>
  answered({ method: 'POST', path: `/sandbox/phones/${digitsOf(number)}/messages`, body: { to, body } });
