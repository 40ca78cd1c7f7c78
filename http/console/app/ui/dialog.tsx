import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { common } from '../words/common.ts';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** By Escape or a button. The focus returns to what opened it. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A window over the page. The browser keeps the focus inside and gives it back. */
export function Dialog({ title, isOpen, onClose, children }: DialogProps): JSX.Element {
  const id = useId();
  const box = useRef<HTMLDialogElement>(null);
  const opener = useRef<Element | null>(null);
  // Before the next frame: whoever types at once types into it.
  useLayoutEffect(() => {
    const dialog = box.current;
    if (!dialog) return;
    if (isOpen && !dialog.open) {
      opener.current = document.activeElement;
      dialog.showModal();
    }
    if (!isOpen && dialog.open) dialog.close();
  }, [isOpen]);
  const closed = (): void => {
    if (opener.current instanceof HTMLElement && opener.current.isConnected) opener.current.focus();
    if (isOpen) onClose();
  };
  return (
    <dialog class="ask" ref={box} aria-labelledby={id} onClose={closed}>
      <h2 id={id}>{title}</h2>
      {isOpen && children}
    </dialog>
  );
}

interface FormDialogProps extends DialogProps {
  /** On the button that saves. */
  readonly verb: string;
  readonly isBusy?: boolean;
  readonly onSave: () => void;
}

/** A window with lines to fill in. */
export function FormDialog({ verb, isBusy = false, onSave, children, ...dialog }: FormDialogProps): JSX.Element {
  return (
    <Dialog {...dialog}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          onSave();
        }}
      >
        {children}
        <div class="dialog-end">
          <button type="button" class="button" onClick={dialog.onClose}>
            {common().cancel}
          </button>
          <button type="submit" class="button first" disabled={isBusy}>
            {verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ConfirmProps extends DialogProps {
  /** On the button that does it. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
}

/** Asks before something is done. */
export function Confirm({ verb, isDangerous = false, isBusy = false, onConfirm, children, ...dialog }: ConfirmProps): JSX.Element {
  return (
    <Dialog {...dialog}>
      {children}
      <div class="dialog-end">
        <button type="button" class="button" onClick={dialog.onClose}>
          {common().cancel}
        </button>
        <button
          type="button"
          class={isDangerous ? 'button danger' : 'button first'}
          data-testid="confirm"
          disabled={isBusy}
          onClick={onConfirm}
        >
          {verb}
        </button>
      </div>
    </Dialog>
  );
}
