import { signal } from '@preact/signals';

/** Whether the list of keyboard shortcuts is open. Opened by a key or in the account menu. */
export const isKeyListOpen = signal(false);
