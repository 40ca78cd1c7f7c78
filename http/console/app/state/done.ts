import { signal } from '@preact/signals';
import type { ShownCall } from '../api/call-as-code.ts';

/** What this page has changed at the gateway since it was opened, newest first. */
export const done = signal<readonly ShownCall[]>([]);

const MOST = 20;
/** Nobody pressed a button for these. */
const BY_ITSELF: ReadonlySet<ShownCall['id']> = new Set(['createEventsTicket', 'readChat']);

export function noteDone(one: ShownCall): void {
  if (one.method !== 'GET' && !BY_ITSELF.has(one.id)) done.value = [one, ...done.peek()].slice(0, MOST);
}

/** Another page is opened. */
export function forgetDone(): void {
  done.value = [];
}
