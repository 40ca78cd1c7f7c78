import { signal } from '@preact/signals';

export const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Time zone of all times that a person reads or types: the business's, or the browser's if signed out. */
export const zone = signal(browserZone);
