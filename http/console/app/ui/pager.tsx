import type { JSX } from 'preact';
import { common } from '../words/common.ts';
import { addressWith } from './address.ts';

/** Where a page of a long list begins, under the names of the API; empty: at the newest. */
export interface Place {
  readonly before?: number;
  readonly before_id?: string;
}

/** The place that an address names. */
export const placeIn = ({ before, before_id }: Readonly<Record<string, string>>): Place =>
  before && before_id ? { before: Number(before), before_id } : {};

interface PagerProps {
  /** Under `/console`. */
  readonly path: string;
  /** The filter that all pages have. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly place: Place;
  readonly next: { readonly next_before: number | null; readonly next_before_id: string | null };
}

/** The way to the next page of a long list, and back to its beginning; each page has an address. */
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
