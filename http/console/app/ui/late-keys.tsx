import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

const loaded = signal<typeof import('./frame-keys.tsx') | null>(null);

/** Loads the shortcuts of every page after the page itself, so that they do not delay sign-in. */
export function LateKeys({ onRail }: { readonly onRail: () => void }): JSX.Element | null {
  useEffect(() => {
    // Without a connection the page works without shortcuts.
    import('./frame-keys.tsx').then(
      (module) => (loaded.value = module),
      () => {},
    );
  }, []);
  const { FrameKeys } = loaded.value ?? {};
  return FrameKeys ? <FrameKeys onRail={onRail} /> : null;
}
