import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { kindsOf } from './texts-form.tsx';
import { words } from './words.ts';

interface TestFormProps {
  readonly store: Schemas['StoreIntegration'];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function TestForm({ store: { id, name, platform }, isOpen, onClose }: TestFormProps): JSX.Element {
  const t = words();
  const phone = useSignal('');
  const event = useSignal<NonNullable<Schemas['TestStoreRequest']['event']>>('order_created');
  const isDone = useSignal(false);
  const input = { params: { id }, body: { phone: phone.value, event: event.value } };
  const test = async (): Promise<void> => {
    isDone.value = false;
    await call('testStore', input);
    isDone.value = true;
  };
  return (
    <FormDialog
      title={t.testOf(name)}
      verb={t.test}
      isOpen={isOpen}
      onClose={onClose}
      save={test}
      code={<AsCode operation="testStore" input={input} />}
    >
      <Choice
        label={t.texts}
        value={event.value}
        options={kindsOf(platform).map((kind) => [kind, t.messages[kind]] as const)}
        onValue={(value) => (event.value = value)}
      />
      <Field
        label={t.testPhone}
        hint={t.testPhoneHint}
        type="tel"
        required
        autocomplete="off"
        value={phone.value}
        onValue={(value) => (phone.value = value)}
      />
      <p role="status">{isDone.value ? t.tested : ''}</p>
    </FormDialog>
  );
}
