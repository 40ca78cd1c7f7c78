import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { ApiError } from '../../api/request.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Badge, DeviceBadge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Bones, Empty, Failure } from '../../ui/states.tsx';
import { dressed } from '../../words/words.ts';
import { longer } from './longer.ts';

const STATUSES = ['pending', 'qr_ready', 'connected', 'disconnected', 'failed'] as const;

/** A page for the console's developers. It is in English only, because users never see it. */
export function DesignPage(): JSX.Element {
  const text = useSignal('');
  const isOpen = useSignal(false);
  return (
    <Page
      title="Design"
      about="Parts and their states."
      actions={
        <button type="button" class="button">
          Beside the title
        </button>
      }
    >
      <div class="stack">
        <section class="card stack">
          <h2>Words</h2>
          <label class="check">
            <input
              type="checkbox"
              checked={dressed.value !== null}
              onChange={(event) => (dressed.value = event.currentTarget.checked ? { dress: longer } : null)}
            />
            All pages in longer words, until this window is loaded again
          </label>
        </section>
        <section class="card stack">
          <h2>Buttons</h2>
          <div class="buttons">
            <button type="button" class="button first">
              First
            </button>
            <button type="button" class="button">
              Plain edge
            </button>
            <button type="button" class="button plain">
              Plain
            </button>
            <button type="button" class="button danger">
              Danger
            </button>
            <button type="button" class="button" disabled>
              Disabled
            </button>
            <button type="button" class="button slim">
              Slim
            </button>
            <button type="button" class="button" aria-haspopup="dialog" onClick={() => (isOpen.value = true)}>
              Asks first
            </button>
          </div>
        </section>
        <section class="card form">
          <h2>Fields</h2>
          <Field label="Empty" hint="A hint" value={text.value} onValue={(value) => (text.value = value)} />
          <Field label="Wrong" fault="What is wrong with it" value="abc" onValue={() => {}} />
        </section>
        <section class="card stack">
          <h2>Badges</h2>
          <div class="row">
            {STATUSES.map((status) => (
              <DeviceBadge key={status} status={status} />
            ))}
            <Badge tone="calm" text="Calm" />
          </div>
        </section>
        <section class="stack">
          <h2>Loading</h2>
          <Bones />
        </section>
        <section class="stack">
          <h2>Failed</h2>
          <Failure error={new ApiError('The gateway does not answer.')} onRetry={() => {}} />
        </section>
        <section class="stack">
          <h2>Empty</h2>
          <Empty title="Nothing yet" about="This is how it begins.">
            <button type="button" class="button first">
              Begin
            </button>
          </Empty>
        </section>
        <section class="card stack">
          <h2>As code</h2>
          <AsCode operation="createSession" input={{ body: { name: "Anna's desk" } }} />
        </section>
      </div>
      <Confirm
        title="Delete it?"
        verb="Delete"
        isDangerous
        isOpen={isOpen.value}
        onClose={() => (isOpen.value = false)}
        onConfirm={() => (isOpen.value = false)}
      >
        <p>It cannot be undone.</p>
      </Confirm>
    </Page>
  );
}
