import type { MessageRow } from '../../../store/messaging/messages.ts';

export type Waiting = Pick<MessageRow, 'chat_id' | 'lane' | 'priority'>;

export interface Choice<Row extends Waiting> {
  readonly row: Row;
  /** Nobody further back could be preferred. */
  readonly isCertain: boolean;
}

/** Chats remembered as served; then a new round begins. */
const MAX_SERVED = 500;

/**
 * Whose turn it is: the first, or the first of its lane and priority that is for a chat which had no turn in this round. `waiting` is in the order
 * in which messages leave; `isAll`: nobody waits behind it. null: nobody waits.
 */
export function nextInTurn<Row extends Waiting>(waiting: readonly Row[], served: ReadonlySet<string>, isAll: boolean): Choice<Row> | null {
  const [head] = waiting;
  if (!head) return null;
  const isUnserved = ({ chat_id, lane, priority }: Row): boolean =>
    lane === head.lane && priority === head.priority && !served.has(chat_id);
  const other = waiting.find(isUnserved);
  return { row: other ?? head, isCertain: other !== undefined || isAll };
}

/** The chats that had their turn, after this one; a chat that gets a second one begins a new round. */
export const servedWith = (served: ReadonlySet<string>, chat: string): ReadonlySet<string> =>
  served.has(chat) || served.size >= MAX_SERVED ? new Set([chat]) : new Set([...served, chat]);
