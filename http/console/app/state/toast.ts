import { signal } from '@preact/signals';

/** A short message about the last action, with a way to undo it. One is shown at a time. */
export interface Toast {
  readonly text: string;
  /** Undoes the action; null if that is impossible. May reject. */
  readonly undo: (() => Promise<unknown>) | null;
}

export const shownToast = signal<Toast | null>(null);

export function toast(text: string, undo: (() => Promise<unknown>) | null = null): void {
  shownToast.value = { text, undo };
}
