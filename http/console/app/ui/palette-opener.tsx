import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { common } from '../words/common.ts';
import type { Entry, Group } from './entries.ts';
import { Icon } from './icon.tsx';

const isOpen = signal(false);
const loaded = signal<typeof import('./palette.tsx') | null>(null);

function toggle(): void {
  isOpen.value = !isOpen.value;
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

/** The shortcut also works while a field has the focus. */
export function PaletteKey({ entries }: { readonly entries: readonly (Entry | Group)[] }): JSX.Element | null {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      toggle();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  const close = (): void => {
    isOpen.value = false;
  };
  const { Palette } = loaded.value ?? {};
  return isOpen.value && Palette ? <Palette entries={entries} onClose={close} /> : null;
}

export const PaletteButton = (): JSX.Element => (
  <button type="button" class="side-search" aria-haspopup="dialog" title={common().jump} onClick={toggle}>
    <Icon name="search" small />
    <span class="nav-name grow">{common().jump}</span>
    <kbd class="nav-name">Ctrl K</kbd>
  </button>
);
