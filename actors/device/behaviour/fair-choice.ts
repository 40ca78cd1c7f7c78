import type { MessageRow } from '../../../store/messaging/messages.ts';

export type Waiting = Pick<MessageRow, 'chat_id' | 'lane' | 'priority'>;

export interface Choice<Row extends Waiting> {
  readonly row: Row;
  /** Whether the choice would be the same if all waiting messages were known. */
  readonly isCertain: boolean;
}

const MAX_SERVED = 500;

/** Picks a message with the first one's lane and priority, preferably from a chat not yet served. */
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
