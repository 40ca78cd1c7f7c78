import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

interface OpenerProps {
  readonly label: string;
  readonly look?: string;
  readonly testId?: string;
  readonly children: (isOpen: boolean, close: () => void) => JSX.Element;
}

export function Opener({ label, look = 'button first', testId, children }: OpenerProps): JSX.Element {
  const isOpen = useSignal(false);
  return (
    <>
      <button type="button" class={look} data-testid={testId} aria-haspopup="dialog" onClick={() => (isOpen.value = true)}>
        {label}
      </button>
      {children(isOpen.value, () => (isOpen.value = false))}
    </>
  );
}
