import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { common } from '../words/common.ts';
import { useAct } from './act.ts';
import { Failure } from './states.tsx';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** When the dialog closes, the focus returns to the element that opened it. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, isOpen, onClose, children }: DialogProps): JSX.Element {
  const id = useId();
  const box = useRef<HTMLDialogElement>(null);
  const opener = useRef<Element | null>(null);
  // Opens before the next frame, so that text typed right away goes into the dialog.
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
  readonly verb?: string;
  /** False disables saving. It is used for rules that the browser cannot check. */
  readonly isReady?: boolean;
  /** If this rejects, the dialog stays open and shows the error. */
  readonly save: () => Promise<unknown>;
  readonly code?: JSX.Element;
}

export function FormDialog({ verb, isReady = true, save, code, children, ...dialog }: FormDialogProps): JSX.Element {
  const saving = useAct();
  const run = (): Promise<void> => saving.run(save);
  return (
    <Dialog {...dialog}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {children}
        {saving.error.value && <Failure error={saving.error.value} onRetry={run} />}
        {code}
        <div class="dialog-end">
          <button type="button" class="button" onClick={dialog.onClose}>
            {common().cancel}
          </button>
          <button type="submit" class="button first" disabled={saving.isBusy.value || !isReady}>
            {verb ?? common().save}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ConfirmProps extends DialogProps {
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
}

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
