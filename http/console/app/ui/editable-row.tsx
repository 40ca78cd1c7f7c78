import { useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { common } from '../words/common.ts';
import type { Act } from './act.ts';
import { Confirm } from './dialog.tsx';
import { Failure } from './states.tsx';

interface EditableRowProps {
  readonly testId?: string;
  /** What the row says, and buttons of its own. */
  readonly children: ComponentChildren;
  /** Between the line and its windows. */
  readonly below?: ComponentChildren;
  /** Its button and the window that it opens; absent: this one is not edited here. */
  readonly edit?: { readonly label: string; readonly form: (isOpen: boolean, close: () => void) => JSX.Element } | undefined;
  /** `label` is also the title of the window that asks first; absent: this one stays. */
  readonly remove?: { readonly label: string; readonly ask: string; readonly run: () => Promise<unknown> } | undefined;
  /** What this row does at the gateway. */
  readonly act: Act;
  readonly onChange: () => void;
}

/** A thing of a list that is edited in a window, and removed after a question. */
export function EditableRow({ testId, children, below, edit, remove, act, onChange }: EditableRowProps): JSX.Element {
  const open = useSignal<'edit' | 'remove' | null>(null);
  const timesEdited = useSignal(0);
  const close = (): void => {
    open.value = null;
  };
  const startEdit = (): void => {
    timesEdited.value += 1;
    open.value = 'edit';
  };
  const row = useRef<HTMLLIElement>(null);
  const isRemoved = useRef(false);
  useLayoutEffect(() => () => void (isRemoved.current && row.current && passOnFocus(row.current)), []);
  const removeIt = (): Promise<void> =>
    act.run(async () => {
      await remove?.run().finally(close);
      isRemoved.current = true;
      onChange();
    });
  return (
    <li ref={row} data-testid={testId} tabIndex={-1}>
      <div class="line">
        {children}
        {edit && (
          <button type="button" class="button slim" aria-haspopup="dialog" aria-label={edit.label} onClick={startEdit}>
            {common().edit}
          </button>
        )}
        {remove && (
          <button
            type="button"
            class="button slim"
            aria-haspopup="dialog"
            aria-label={remove.label}
            onClick={() => (open.value = 'remove')}
          >
            {common().remove}
          </button>
        )}
      </div>
      {below}
      {act.error.value && <Failure error={act.error.value} />}
      {/* Each time with what is stored by then. */}
      <Fragment key={timesEdited.value}>{edit?.form(open.value === 'edit', close)}</Fragment>
      {remove && (
        <Confirm
          title={remove.label}
          verb={common().remove}
          isDangerous
          isOpen={open.value === 'remove'}
          isBusy={act.isBusy.value}
          onClose={close}
          onConfirm={removeIt}
        >
          <p>{remove.ask}</p>
        </Confirm>
      )}
    </li>
  );
}

/** Whoever has no mouse goes on where the row was: at the next one, or at the top of the page. */
function passOnFocus(row: HTMLElement): void {
  const { activeElement, body } = document;
  if (activeElement !== body && !row.contains(activeElement)) return;
  const next = row.nextElementSibling;
  // Once the row is gone: its window may still be open, and keeps the focus inside.
  queueMicrotask(() => {
    const place = next?.isConnected ? next : document.querySelector('main h1');
    if (place instanceof HTMLElement) place.focus();
  });
}
