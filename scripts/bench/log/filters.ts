import type { LogFilter } from '../../../store/messaging/log-filter.ts';
import { BEGUN_AT, EVERY_MS, THE_CHAT } from './plant.ts';

export interface Asked {
  readonly key: string;
  readonly title: string;
  readonly filter: LogFilter;
  readonly fromMiddle?: true;
}

export function askedOf(count: number): readonly Asked[] {
  const middle = BEGUN_AT + Math.trunc(count / 2) * EVERY_MS;
  return [
    { key: 'all', title: 'no filter', filter: {} },
    { key: 'chat', title: 'chat_id', filter: { chat_id: THE_CHAT } },
    { key: 'inbound', title: 'direction', filter: { direction: 'inbound' } },
    { key: 'read', title: 'status read', filter: { status: 'read' } },
    { key: 'failed', title: 'status failed', filter: { status: 'failed' } },
    { key: 'image', title: 'type image', filter: { type: 'image' } },
    { key: 'poll', title: 'type poll', filter: { type: 'poll' } },
    { key: 'window', title: 'since, until', filter: { since: middle, until: middle + 300 * EVERY_MS } },
    { key: 'deep', title: 'direction, from the middle', filter: { direction: 'inbound' }, fromMiddle: true },
    { key: 'chatImages', title: 'chat_id and direction', filter: { chat_id: THE_CHAT, direction: 'inbound' } },
  ];
}
