import type { JSX } from 'preact';
import { common } from '../words/common.ts';
import { addressWith } from './address.ts';

/** Position of a page in a list; empty for the newest page. */
export interface Place {
  readonly before?: number;
  readonly before_id?: string;
}

export const placeIn = ({ before, before_id }: Readonly<Record<string, string>>): Place =>
  before && before_id ? { before: Number(before), before_id } : {};

interface PagerProps {
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly place: Place;
  readonly next: { readonly next_before: number | null; readonly next_before_id: string | null };
}

export function Pager({ path, query, place, next: { next_before, next_before_id } }: PagerProps): JSX.Element | null {
  const t = common();
  if (place.before === undefined && next_before === null) return null;
  const further = { ...query, before: String(next_before), before_id: next_before_id ?? '' };
  return (
    <div class="row">
      {place.before !== undefined && (
        <a class="button slim" href={addressWith(path, query)}>
          {t.newest}
        </a>
      )}
      {next_before !== null && (
        <a class="button slim" href={addressWith(path, further)}>
          {t.more}
        </a>
      )}
    </div>
  );
}
