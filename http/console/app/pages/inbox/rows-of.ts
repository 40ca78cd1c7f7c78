import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { zone } from '../../state/zone.ts';
import { localDay } from '../../words/moment.ts';
import type { Entry } from './thread.ts';

export type Note = Schemas['ChatNote'];

type Row =
  | { readonly is: 'day'; readonly key: string; readonly at: number }
  | { readonly is: 'note'; readonly note: Note }
  | { readonly is: 'cleared'; readonly at: number }
  | { readonly is: 'message'; readonly entry: Entry };

/** Unless `isWhole` is true, omits notes that are older than the first loaded message. */
export function inOrder(entries: readonly Entry[], notes: readonly Note[], isWhole: boolean, clearedAt: number | null): readonly Row[] {
  const first = isWhole ? 0 : (entries[0]?.created_at ?? 0);
  const dated = [
    ...entries.map((entry) => ({ at: entry.created_at, row: { is: 'message', entry } as const })),
    ...notes.flatMap((note) =>
      note.created_at !== null && note.created_at >= first ? [{ at: note.created_at, row: { is: 'note', note } as const }] : [],
    ),
    ...(clearedAt !== null && clearedAt >= first && entries.length > 0
      ? [{ at: clearedAt, row: { is: 'cleared', at: clearedAt } as const }]
      : []),
  ].toSorted((one, other) => one.at - other.at);
  const rows: Row[] = notes.filter(({ created_at }) => created_at === null).map((note) => ({ is: 'note', note }));
  let day = '';
  for (const { at, row } of dated) {
    const next = localDay(at, zone.value);
    if (next !== day) rows.push({ is: 'day', key: `day ${next}`, at });
    day = next;
    rows.push(row);
  }
  return rows;
}
