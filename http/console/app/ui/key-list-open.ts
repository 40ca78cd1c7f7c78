import { signal } from '@preact/signals';

export const isKeyListOpen = signal(false);
