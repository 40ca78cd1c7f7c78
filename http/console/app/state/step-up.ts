import { signal } from '@preact/signals';

/** All waiting calls share one dialog (ui/step-up.tsx) and are retried once it is closed. */
const waiting = signal<((isProven: boolean) => void) | null>(null);
let answer: Promise<boolean> | null = null;

export const isCodeAsked = (): boolean => waiting.value !== null;

export const timesAsked = signal(0);

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
