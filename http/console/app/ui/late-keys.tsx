import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';

const loaded = signal<typeof import('./frame-keys.tsx') | null>(null);

export function LateKeys({ onRail }: { readonly onRail: () => void }): JSX.Element | null {
  useEffect(() => {
    import('./frame-keys.tsx').then(
      (module) => (loaded.value = module),
      () => {},
    );
  }, []);
  const { FrameKeys } = loaded.value ?? {};
  return FrameKeys ? <FrameKeys onRail={onRail} /> : null;
}
