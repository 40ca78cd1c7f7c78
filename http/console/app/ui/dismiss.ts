import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Closes an open menu on Escape, which returns the focus to `opener`, and on a press outside of the menu. */
export function useDismiss(box: RefObject<HTMLElement | null>, isOpen: boolean, close: () => void, opener: string): void {
  useEffect(() => {
    if (!isOpen) return;
    const leave = ({ target }: PointerEvent): void => {
      if (!(target instanceof Node && box.current?.contains(target))) close();
    };
    const onKey = ({ key, target }: KeyboardEvent): void => {
      // If a dialog that the menu opened has the focus, Escape closes only the dialog.
      if (key !== 'Escape' || (target instanceof Element && target.closest('dialog'))) return;
      close();
      box.current?.querySelector<HTMLElement>(opener)?.focus();
    };
    addEventListener('pointerdown', leave);
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('pointerdown', leave);
      removeEventListener('keydown', onKey);
    };
  }, [isOpen]);
}
