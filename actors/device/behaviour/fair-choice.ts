import type { MessageRow } from '../../../store/messaging/messages.ts';

export type Waiting = Pick<MessageRow, 'chat_id' | 'lane' | 'priority'>;

export interface Choice<Row extends Waiting> {
  readonly row: Row;
  /** Whether this row would be chosen even if more rows were known. */
  readonly isCertain: boolean;
}

/** Number of served chats remembered; then a new round begins. */
const MAX_SERVED = 500;

/**
 * The first row whose chat was not served in this round, among rows with the same lane and priority
 * as the head; otherwise the head. `waiting`: in send order; `isAll`: whether `waiting` is the
 * whole queue. Returns null if `waiting` is empty.
 */
export function nextInTurn<Row extends Waiting>(waiting: readonly Row[], served: ReadonlySet<string>, isAll: boolean): Choice<Row> | null {
  const [head] = waiting;
  if (!head) return null;
  const isUnserved = ({ chat_id, lane, priority }: Row): boolean =>
    lane === head.lane && priority === head.priority && !served.has(chat_id);
  const other = waiting.find(isUnserved);
  return { row: other ?? head, isCertain: other !== undefined || isAll };
}

export const servedWith = (served: ReadonlySet<string>, chat: string): ReadonlySet<string> =>
  served.has(chat) || served.size >= MAX_SERVED ? new Set([chat]) : new Set([...served, chat]);
