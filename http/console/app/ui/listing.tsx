import type { JSX } from 'preact';

interface ListingProps<T> {
  readonly of: readonly T[];
  /** In place of the frame where there are none. */
  readonly empty: JSX.Element;
  /** Draws the `li` of one; with a key. */
  readonly children: (one: T) => JSX.Element;
}

/** Things one below the other in a frame. */
export const Listing = <T,>({ of: list, empty, children }: ListingProps<T>): JSX.Element =>
  list.length === 0 ? empty : <ul class="list">{list.map(children)}</ul>;
