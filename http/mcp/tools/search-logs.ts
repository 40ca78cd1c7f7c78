import { at } from '../../../runtime/invariant.ts';
import type { LogEntry } from '../../areas/messages/schemas.ts';
import type { NextPage } from '../answers.ts';
import type { Fields } from '../messages.ts';
import { PAGE } from '../shown.ts';
import type { ToolCall } from '../tool.ts';

const AT_ONCE = 4;

/**
 * Returns only messages newer than the point that the search has reached in every log. Older ones
 * go to the next page.
 */
export async function searchLogs(
  { ask }: ToolCall,
  filter: Fields,
  from: { readonly before?: number; readonly before_id?: string },
): Promise<NextPage & { readonly messages: readonly LogEntry[] }> {
  const { sessions } = await ask('listSessions');
  const waiting = sessions.map(({ id }) => id);
  const logs: (NextPage & { readonly messages: readonly LogEntry[] })[] = [];
  const readNext = async (): Promise<void> => {
    for (let sessionId = waiting.pop(); sessionId !== undefined; sessionId = waiting.pop())
      logs.push(await ask('listMessages', { params: { sessionId }, query: { ...filter, ...from, limit: PAGE } }));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  const ends = logs
    .filter(({ next_before }) => next_before !== null)
    .map(({ next_before, next_before_id }) => [next_before ?? 0, next_before_id ?? ''] as const);
  const [frontier] = ends.toSorted((one, other) => newestFirst(one, other));
  const known = logs
    .flatMap(({ messages }) => messages)
    .filter((message) => frontier === undefined || newestFirst(placeIn(message), frontier) <= 0)
    .toSorted((one, other) => newestFirst(placeIn(one), placeIn(other)));
  const page = known.slice(0, PAGE);
  const end = known.length > PAGE ? placeIn(at(page, -1)) : frontier;
  return { messages: page, next_before: end?.[0] ?? null, next_before_id: end?.[1] ?? null };
}

type Place = readonly [at: number, id: string];

const placeIn = ({ created_at, id }: LogEntry): Place => [created_at, id];

function newestFirst([at1, id1]: Place, [at2, id2]: Place): number {
  if (at1 !== at2) return at2 - at1;
  if (id1 === id2) return 0;
  return id1 < id2 ? 1 : -1;
}
