import { signal } from '@preact/signals';

/** The operator's secret and two-factor session, in memory only: a reload asks again. */
const operatorSecret = signal<string | null>(null);
const operatorSession = signal<string | null>(null);

/** Headers of an operator's call. */
export function operatorHeaders(): Readonly<Record<string, string>> {
  return {
    ...(operatorSecret.value !== null && { 'x-admin-secret': operatorSecret.value }),
    ...(operatorSession.value !== null && { 'x-admin-session': operatorSession.value }),
  };
}
