import { signal } from '@preact/signals';

/** Whether the list of keys is shown: opened by a key, or in the menu of the account. */
export const isKeyListOpen = signal(false);
