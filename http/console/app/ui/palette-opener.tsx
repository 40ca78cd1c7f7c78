import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { common } from '../words/common.ts';
import type { Entry, Group } from './entries.ts';
import { Icon } from './icon.tsx';

const isOpen = signal(false);
/** Text that the user typed while the palette was loading. */
const typed = signal('');
const loaded = signal<typeof import('./palette.tsx') | null>(null);

function toggle(): void {
  isOpen.value = !isOpen.value;
  typed.value = '';
  if (loaded.value) return;
  import('./palette.tsx').then(
    (module) => {
      loaded.value = module;
    },
    // If loading fails, the next key press retries.
    () => {
      isOpen.value = false;
    },
  );
}

/** Keeps the text that the user types while the palette loads. The keys trigger no shortcuts meanwhile. */
function wait(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) return;
  event.preventDefault();
  if (key === 'Escape') isOpen.value = false;
  else if (key === 'Backspace') typed.value = typed.value.slice(0, -1);
  else if (key.length === 1) typed.value += key;
}

/** The shortcut also works while a field has the focus. */
export function PaletteKey({ entries }: { readonly entries: readonly (Entry | Group)[] }): JSX.Element | null {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (isOpen.peek() && !loaded.peek()) wait(event);
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      toggle();
    };
    // Runs before the single-key shortcuts.
    document.addEventListener('keydown', press, true);
    return () => document.removeEventListener('keydown', press, true);
  }, []);
  const close = (): void => {
    isOpen.value = false;
  };
  const { Palette } = loaded.value ?? {};
  return isOpen.value && Palette ? <Palette entries={entries} typed={typed.value} onClose={close} /> : null;
}

export const PaletteButton = (): JSX.Element => (
  <button type="button" class="side-search" aria-haspopup="dialog" title={common().jump} onClick={toggle}>
    <Icon name="search" small />
    <span class="nav-name grow">{common().jump}</span>
    <kbd class="nav-name">Ctrl K</kbd>
  </button>
);
