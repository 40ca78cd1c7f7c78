import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { words } from './words.ts';

export function TryTemplate({ id }: { readonly id: string }): JSX.Element {
  const t = words();
  const name = useSignal('');
  const shown = useSignal<Schemas['PreviewTemplateResponse'] | null>(null);
  const trying = useAct();
  const show = (): Promise<void> =>
    trying.run(async () => {
      const vars = name.value === '' ? {} : { name: name.value, first_name: name.value.split(' ')[0] ?? null };
      shown.value = await call('previewTemplate', { params: { id }, body: { vars } });
    });
  return (
    <details class="line as-code">
      <summary>{t.tryIt}</summary>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void show();
        }}
      >
        <Field label={t.tryName} autocomplete="off" value={name.value} onValue={(value) => (name.value = value)} />
        <div class="row">
          <button type="submit" class="button slim" disabled={trying.isBusy.value}>
            {t.preview}
          </button>
        </div>
        {trying.error.value && <Failure error={trying.error.value} onRetry={show} />}
        <div role="status">
          {shown.value && <p class="bubble">{shown.value.body}</p>}
          {shown.value && shown.value.missing.length > 0 && <p class="small soft">{t.missing(shown.value.missing.join(', '))}</p>}
        </div>
      </form>
    </details>
  );
}
