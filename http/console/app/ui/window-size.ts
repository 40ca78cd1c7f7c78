import { type Signal, signal } from '@preact/signals';

function matching(query: string): Signal<boolean> {
  const list = matchMedia(query);
  const isMatching = signal(list.matches);
  list.addEventListener('change', ({ matches }) => {
    isMatching.value = matches;
  });
  return isMatching;
}

/** Phone width: the menu is a bar at the bottom. Same breakpoint as in the style sheets. */
export const isNarrow = matching('(max-width: 47.99rem)');

/** Too narrow for the full menu next to the three panes of the inbox. */
export const isTight = matching('(max-width: 87.5rem)');
