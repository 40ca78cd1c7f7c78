import { signal } from '@preact/signals';

/**
 * Calls that failed because the second-factor code was too old; they wait for one dialog
 * (ui/step-up.tsx) and are then repeated.
 */
const waiting = signal<((isProven: boolean) => void) | null>(null);
let answer: Promise<boolean> | null = null;

export const isCodeAsked = (): boolean => waiting.value !== null;

export const timesAsked = signal(0);

/** Requests a code. Resolves with false if the dialog was closed without entering one. */
export function freshCode(): Promise<boolean> {
  answer ??= new Promise((settle) => {
    waiting.value = settle;
    timesAsked.value += 1;
  });
  return answer;
}

export function settleCode(isProven: boolean): void {
  waiting.peek()?.(isProven);
  waiting.value = null;
  answer = null;
}
