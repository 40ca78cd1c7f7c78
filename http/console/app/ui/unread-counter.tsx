import { useEffect } from 'preact/hooks';
import { call } from '../api/client.ts';
import { useResource } from '../api/resource.ts';
import { person } from '../state/session.ts';
import { MOST_UNREAD, NO_UNREAD, readings, type Unread, unread } from '../state/unread.ts';
import { RARELY_MS, useNews } from './news.ts';

/** Keeps the counts current while a page of the business is open. */
export function UnreadCounter(): null {
  const own = person.value?.agent_id;
  const found = useResource(own ?? '', async (signal): Promise<Unread> => {
    const { chats } = await call('listInbox', { query: { unread: true, snoozed: false, limit: MOST_UNREAD } }, { signal });
    const countOf = (agent: string | null | undefined): number => chats.filter(({ agent_id }) => agent_id === agent).length;
    return { mine: countOf(own), unassigned: countOf(null), all: chats.length };
  });
  useNews(found, ({ type }) => type === 'message.received' || type.startsWith('chat.'), { apartMs: RARELY_MS, isWaitedFor: false });
  const load = found.load.value;
  useEffect(() => {
    if (load.state === 'loaded') unread.value = load.data;
  }, [load]);
  useEffect(() => {
    if (readings.value > 0) found.reload();
  }, [readings.value]);
  useEffect(
    () => () => {
      unread.value = NO_UNREAD;
    },
    [],
  );
  return null;
}
