import { signal } from '@preact/signals';

/** A short message about what was just done, with a way to take it back. One is shown at a time. */
export interface Toast {
  readonly text: string;
  /** Takes it back; null when it cannot be. May reject. */
  readonly undo: (() => Promise<unknown>) | null;
}

export const shownToast = signal<Toast | null>(null);

export function toast(text: string, undo: (() => Promise<unknown>) | null = null): void {
  shownToast.value = { text, undo };
}
