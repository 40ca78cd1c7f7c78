import { signal } from '@preact/signals';
import type { ShownCall } from '../api/call-as-code.ts';

export const done = signal<readonly ShownCall[]>([]);

const MOST = 20;
const BY_ITSELF: ReadonlySet<ShownCall['id']> = new Set(['createEventsTicket', 'readChat']);

export function noteDone(one: ShownCall): void {
  if (one.method !== 'GET' && !BY_ITSELF.has(one.id)) done.value = [one, ...done.peek()].slice(0, MOST);
}

export function forgetDone(): void {
  done.value = [];
}
