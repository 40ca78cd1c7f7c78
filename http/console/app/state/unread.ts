import { signal } from '@preact/signals';

/**
 * Number of unread chats that the signed-in user sees, for the menu, the inbox and Home. The frame
 * loads the counts (`ui/unread-counter.tsx`). Snoozed chats are not counted, because the inbox hides them.
 */

export interface Unread {
  readonly mine: number;
  readonly unassigned: number;
  readonly all: number;
}

/** Chats beyond this number are not counted, so that one short request is enough. */
export const MOST_UNREAD = 100;

export const NO_UNREAD: Unread = { mine: 0, unassigned: 0, all: 0 };

export const unread = signal(NO_UNREAD);

/** Changes when this tab marked a chat as read, because the gateway sends no event for it. */
export const readings = signal(0);

/** `NN+` if some chats were not counted. */
export const unreadText = (count: number): string => (count >= MOST_UNREAD ? `${MOST_UNREAD - 1}+` : String(count));
