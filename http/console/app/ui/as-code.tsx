import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { curlOf, type ShownCall, shownCall, typescriptOf } from '../api/call-as-code.ts';
import type { Input, OperationId } from '../api/client.ts';
import { done } from '../state/done.ts';
import { operator } from '../state/operator.ts';
import { person } from '../state/session.ts';
import { common } from '../words/common.ts';
import { copyText } from './copy.ts';
import { Dialog } from './dialog.tsx';
import { Icon } from './icon.tsx';

interface AsCodeProps<Id extends OperationId> {
  readonly operation: Id;
  readonly input: Input<Id>;
}

export const AsCode = <Id extends OperationId>({ operation, input }: AsCodeProps<Id>): JSX.Element => (
  <details class="as-code">
    <summary>{common().showAsCode}</summary>
    <Code shown={shownCall(operation, input)} />
  </details>
);

export function DoneAsCode(): JSX.Element | null {
  const t = common();
  const isOpen = useSignal(false);
  const close = (): void => {
    isOpen.value = false;
  };
  if (!person.value && !operator.value) return null;
  return (
    <>
      <button
        type="button"
        class="menu-item"
        data-testid="done-as-code"
        aria-haspopup="dialog"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        <Icon name="code" small />
        {t.showAsCode}
      </button>
      <Dialog title={t.doneAsCode} isOpen={isOpen.value} onClose={close}>
        {done.value.length === 0 && <p class="soft">{t.nothingDone}</p>}
        <ol class="stack">
          {done.value.map((one, nth) => (
            <li key={done.value.length - nth} class="stack">
              <h3>{one.id}</h3>
              <Code shown={one} />
            </li>
          ))}
        </ol>
        <div class="dialog-end">
          <button type="button" class="button" onClick={close}>
            {t.close}
          </button>
        </div>
      </Dialog>
    </>
  );
}

function Code({ shown }: { readonly shown: ShownCall }): JSX.Element {
  const t = common();
  const copied = useSignal<boolean | null>(null);
  const curl = curlOf(shown, location.origin);
  const copy = async (): Promise<void> => {
    copied.value = await copyText(curl, navigator.clipboard);
  };
  return (
    <div class="stack">
      <section class="code" tabIndex={0} aria-label={`curl ${shown.id}`}>
        <pre>{curl}</pre>
      </section>
      <section class="code" tabIndex={0} aria-label={`TypeScript ${shown.id}`}>
        <pre>{typescriptOf(shown)}</pre>
      </section>
      <div class="row">
        <button type="button" class="button slim" onClick={copy}>
          {t.copy} curl
        </button>
        <span role="status" class="small soft">
          {copied.value === null ? '' : copied.value ? t.copied : t.notCopied}
        </span>
      </div>
    </div>
  );
}
