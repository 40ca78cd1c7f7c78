import { signal } from '@preact/signals';
import { answered } from '../api/request.ts';
import { keep, kept } from './kept.ts';

export const hasSandbox = document.documentElement.dataset['sandbox'] === 'yes';

const ofTab = (): Storage => sessionStorage;

export const sandboxNumber = signal(kept('sandbox-number', ofTab) ?? '');

export function showPhone(number: string): void {
  if (!hasSandbox) return;
  sandboxNumber.value = number;
  keep('sandbox-number', number, ofTab);
}

export const shownCode = signal<string | null>(null);

export interface PhoneMessage {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly body: string | null;
  readonly at: number;
}

export const digitsOf = (number: string): string => number.replace(/\D/g, '');

export const isNumber = (number: string): boolean => /^\d{5,15}$/.test(digitsOf(number));

export async function messagesOn(number: string): Promise<readonly PhoneMessage[]> {
  const { messages } = await answered<{ readonly messages: readonly PhoneMessage[] }>({
    method: 'GET',
    path: `/sandbox/phones/${digitsOf(number)}/messages`,
  });
  return messages;
}

export const scan = (number: string, qr: string): Promise<unknown> =>
  answered({ method: 'POST', path: `/sandbox/phones/${digitsOf(number)}/scan`, body: { qr } });

export const write = (number: string, to: string, body: string): Promise<unknown> =>
  answered({ method: 'POST', path: `/sandbox/phones/${digitsOf(number)}/messages`, body: { to, body } });
