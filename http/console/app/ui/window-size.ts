import { type Signal, signal } from '@preact/signals';

function matching(query: string): Signal<boolean> {
  const list = matchMedia(query);
  const isMatching = signal(list.matches);
  list.addEventListener('change', ({ matches }) => {
    isMatching.value = matches;
  });
  return isMatching;
}

/** The style sheets use the same breakpoint. */
export const isNarrow = matching('(max-width: 47.99rem)');

/** True if the window is too narrow for the full menu next to the inbox's three panes. */
export const isTight = matching('(max-width: 87.5rem)');
