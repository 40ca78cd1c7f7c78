import { signal } from '@preact/signals';

/**
 * Calls that were refused because the last code of the second factor is too old. All of them wait for one window (ui/step-up.tsx), in which whoever sits
 * here types a code, and are made again then; so no page has to care which of its calls may need a code.
 */
const waiting = signal<((isProven: boolean) => void) | null>(null);
let answer: Promise<boolean> | null = null;

/** Whether a call waits for a code. */
export const isCodeAsked = (): boolean => waiting.value !== null;

/** How often a code was asked for in this tab. */
export const timesAsked = signal(0);

/** Asks for a code. False: the window was closed without one. */
export function freshCode(): Promise<boolean> {
  answer ??= new Promise((settle) => {
    waiting.value = settle;
    timesAsked.value += 1;
  });
  return answer;
}

/** Ends the wait of all calls. */
export function settleCode(isProven: boolean): void {
  waiting.peek()?.(isProven);
  waiting.value = null;
  answer = null;
}
