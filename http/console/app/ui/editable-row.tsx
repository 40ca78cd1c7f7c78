import { useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { common } from '../words/common.ts';
import type { Act } from './act.ts';
import { Confirm } from './dialog.tsx';
import { Failure } from './states.tsx';

interface EditableRowProps {
  readonly testId?: string;
  readonly children: ComponentChildren;
  readonly below?: ComponentChildren;
  readonly edit?: { readonly label: string; readonly form: (isOpen: boolean, close: () => void) => JSX.Element } | undefined;
  /** `label` is also the confirmation dialog's title. */
  readonly remove?: { readonly label: string; readonly ask: string; readonly run: () => Promise<unknown> } | undefined;
  readonly act: Act;
  readonly onChange: () => void;
}

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
      {/* A new key for each edit, so that the form starts from the stored values. */}
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

function passOnFocus(row: HTMLElement): void {
  const { activeElement, body } = document;
  if (activeElement !== body && !row.contains(activeElement)) return;
  const next = row.nextElementSibling;
  // Waits, because the dialog of the removed row may still be open and have the focus.
  queueMicrotask(() => {
    const place = next?.isConnected ? next : document.querySelector('main h1');
    if (place instanceof HTMLElement) place.focus();
  });
}
