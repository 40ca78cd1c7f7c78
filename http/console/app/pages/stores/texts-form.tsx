import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { words } from './words.ts';

type Store = Schemas['StoreIntegration'];
type Kind = keyof Store['templates'];

export const kindsOf = (platform: Store['platform']): readonly Kind[] =>
  platform === 'platform_a'
    ? ['order_created', 'order_paid', 'order_shipped', 'abandoned_checkout']
    : ['order_created', 'order_paid', 'order_shipped'];

interface TextsFormProps {
  readonly store: Store;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function TextsForm({ store, isOpen, onClose, onSaved }: TextsFormProps): JSX.Element {
  const t = words();
  const templates = useSignal(store.templates);
  const delay = useSignal(String(store.abandoned_delay_min));
  const isMarketing = useSignal(store.abandoned_only_marketing);
  const hasReminder = store.platform === 'platform_a';
  const input = {
    params: { id: store.id },
    body: {
      templates: templates.value,
      ...(hasReminder && { abandoned_delay_min: Number(delay.value), abandoned_only_marketing: isMarketing.value }),
    },
  };
  const save = async (): Promise<void> => {
    await call('changeStore', input);
    onClose();
    onSaved();
  };
  const put = (kind: Kind, change: Partial<Schemas['StoreTemplate']>): void => {
    templates.value = { ...templates.value, [kind]: { ...templates.value[kind], ...change } };
  };
  return (
    <FormDialog
      title={t.textsOf(store.name)}
      isOpen={isOpen}
      onClose={onClose}
      save={save}
      code={<AsCode operation="changeStore" input={input} />}
    >
      {kindsOf(store.platform).map((kind) => (
        <div key={kind} class="field">
          <label class="row">
            <input
              type="checkbox"
              checked={templates.value[kind].enabled}
              onChange={(event) => put(kind, { enabled: event.currentTarget.checked })}
            />
            {t.send(t.messages[kind])}
          </label>
          <Field
            label={t.textOf(t.messages[kind])}
            required
            lines={3}
            maxLength={1_000}
            value={templates.value[kind].text}
            onValue={(text) => put(kind, { text })}
          />
        </div>
      ))}
      {hasReminder && (
        <>
          <Field label={t.delay} type="number" required value={delay.value} onValue={(value) => (delay.value = value)} />
          <label class="row">
            <input type="checkbox" checked={isMarketing.value} onChange={(event) => (isMarketing.value = event.currentTarget.checked)} />
            {t.marketing}
          </label>
        </>
      )}
    </FormDialog>
  );
}
