import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';

interface OpenerProps {
  readonly label: string;
  /** Classes of the button; default: the first act of a page. */
  readonly look?: string;
  readonly testId?: string;
  /** Draws the window. */
  readonly children: (isOpen: boolean, close: () => void) => JSX.Element;
}

/** A button, and the window that it opens. */
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
