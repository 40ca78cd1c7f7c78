import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { dayOf } from '../../words/formats.ts';
import type { Entry } from './thread.ts';

export type Note = Schemas['ChatNote'];

type Row =
  | { readonly is: 'day'; readonly key: string; readonly text: string }
  | { readonly is: 'note'; readonly note: Note }
  | { readonly is: 'message'; readonly entry: Entry };

/**
 * What stands in a chat, from above: messages, the team's notes where their time puts them, and a
 * line where a day begins. A note whose time is not known, or is before the messages that were
 * read, stands in the details only.
 */
export function inOrder(entries: readonly Entry[], notes: readonly Note[], now = Date.now()): readonly Row[] {
  const first = entries[0]?.created_at ?? 0;
  const dated = [
    ...entries.map((entry) => ({ at: entry.created_at, row: { is: 'message', entry } as const })),
    ...notes.flatMap((note) =>
      note.created_at === null || note.created_at < first ? [] : [{ at: note.created_at, row: { is: 'note', note } as const }],
    ),
  ].toSorted((one, other) => one.at - other.at);
  const rows: Row[] = [];
  let day = '';
  for (const { at, row } of dated) {
    const next = new Date(at).toDateString();
    if (next !== day) rows.push({ is: 'day', key: `day ${next}`, text: dayOf(at, now) });
    day = next;
    rows.push(row);
  }
  return rows;
}
