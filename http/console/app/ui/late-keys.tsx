import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

const loaded = signal<typeof import('./frame-keys.tsx') | null>(null);

/** The keys of every page, loaded behind the page: whoever signs in does not wait for them. */
export function LateKeys({ onRail }: { readonly onRail: () => void }): JSX.Element | null {
  useEffect(() => {
    // Where the line is down, the page works without keys.
    import('./frame-keys.tsx').then(
      (module) => (loaded.value = module),
      () => {},
    );
  }, []);
  const { FrameKeys } = loaded.value ?? {};
  return FrameKeys ? <FrameKeys onRail={onRail} /> : null;
}
