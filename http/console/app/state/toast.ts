import { signal } from '@preact/signals';

export interface Toast {
  readonly text: string;
  /** Null if the action cannot be undone. May reject. */
  readonly undo: (() => Promise<unknown>) | null;
}

export const shownToast = signal<Toast | null>(null);

export function toast(text: string, undo: (() => Promise<unknown>) | null = null): void {
  shownToast.value = { text, undo };
}
