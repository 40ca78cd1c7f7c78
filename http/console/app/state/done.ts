import { signal } from '@preact/signals';
import type { Told } from '../api/told.ts';

/** What this page has changed at the gateway since it was opened, newest first. */
export const done = signal<readonly Told[]>([]);

const MOST = 20;
/** Nobody pressed a button for these. */
const BY_ITSELF: ReadonlySet<Told['id']> = new Set(['createEventsTicket', 'readChat']);

export function noteDone(one: Told): void {
  if (one.method !== 'GET' && !BY_ITSELF.has(one.id)) done.value = [one, ...done.peek()].slice(0, MOST);
}

/** Another page is opened. */
export function forgetDone(): void {
  done.value = [];
}
