import type { JSX } from 'preact';

interface ListingProps<T> {
  readonly of: readonly T[];
  /** Shown instead of the list when it is empty. */
  readonly empty: JSX.Element;
  /** Renders the `li` of one item, with a key. */
  readonly children: (one: T) => JSX.Element;
}

/** A vertical list in a frame. */
export const Listing = <T,>({ of: list, empty, children }: ListingProps<T>): JSX.Element =>
  list.length === 0 ? empty : <ul class="list">{list.map(children)}</ul>;
