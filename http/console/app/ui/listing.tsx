import type { JSX } from 'preact';

interface ListingProps<T> {
  readonly of: readonly T[];
  readonly empty: JSX.Element;
  readonly children: (one: T) => JSX.Element;
}

export const Listing = <T,>({ of: list, empty, children }: ListingProps<T>): JSX.Element =>
  list.length === 0 ? empty : <ul class="list">{list.map(children)}</ul>;
