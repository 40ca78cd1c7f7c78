import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Choice } from '../../ui/choice.tsx';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { PhoneFrame } from '../../ui/phone-frame.tsx';
import { buttonsIn, componentsOf, filled, variablesIn } from './components.ts';
import { words } from './words.ts';

interface NewTemplateProps {
  readonly devices: readonly Schemas['Session'][];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

const EMPTY = { name: '', language: 'id', header: '', body: '', footer: '', buttons: '' };
const LANGUAGES = ['id', 'en', 'en_US', 'en_GB', 'ms', 'zh_CN', 'es', 'pt_BR', 'ar'];

export function NewTemplate({ devices, isOpen, onClose, onSaved }: NewTemplateProps): JSX.Element {
  const t = words();
  const text = useSignal(EMPTY);
  const device = useSignal('');
  const category = useSignal<'utility' | 'marketing'>('utility');
  const samples = useSignal<Readonly<Record<string, string>>>({});
  const { name, language, ...parts } = text.value;
  const { header, body, footer, buttons } = parts;
  const session_id = devices.find(({ id }) => id === device.value)?.id ?? devices[0]?.id ?? '';
  const components = componentsOf({ ...parts, samples: samples.value });
  const official = { session_id, name, language, category: category.value, components };
  const field = (key: keyof typeof EMPTY, label: string, more: object): JSX.Element => (
    <Field
      label={label}
      autocomplete="off"
      value={text.value[key]}
      onValue={(value) => (text.value = { ...text.value, [key]: value })}
      testId={`template-${key}`}
      {...more}
    />
  );
  const save = async (): Promise<void> => {
    await call('createTemplate', { body: { official } });
    text.value = EMPTY;
    samples.value = {};
    onClose();
    onSaved();
  };
  return (
    <FormDialog
      title={t.newTemplate}
      verb={t.submit}
      isOpen={isOpen}
      onClose={onClose}
      save={save}
      code={<AsCode operation="createTemplate" input={{ body: { official } }} />}
    >
      {devices.length > 1 && (
        <Choice
          label={t.device}
          value={session_id}
          options={devices.map((one) => [one.id, nameOfDevice(one)] as const)}
          onValue={(id) => (device.value = id)}
        />
      )}
      {field('name', t.templateName, { hint: t.templateNameHint, required: true, maxLength: 512 })}
      {field('language', t.language, { required: true, options: LANGUAGES })}
      <Choice
        label={t.category}
        value={category.value}
        options={[
          ['utility', t.categories.utility],
          ['marketing', t.categories.marketing],
        ]}
        onValue={(value) => (category.value = value)}
      />
      {field('header', t.header, { hint: t.optional, maxLength: 60 })}
      {field('body', t.body, { hint: t.bodyHint, required: true, lines: 5, maxLength: 1_024 })}
      {field('footer', t.footer, { hint: t.optional, maxLength: 60 })}
      {field('buttons', t.buttons, { hint: t.buttonsHint, lines: 3 })}
      {variablesIn(`${header} ${body}`).map((one) => (
        <Field
          key={one}
          label={t.sampleOf(one)}
          required
          autocomplete="off"
          value={samples.value[one] ?? ''}
          onValue={(value) => (samples.value = { ...samples.value, [one]: value })}
        />
      ))}
      <section class="stack" aria-label={t.picture} data-testid="template-picture">
        <PhoneFrame title={filled(header, samples.value)} text={filled(body, samples.value)} footer={footer} buttons={buttonsIn(buttons)} />
      </section>
    </FormDialog>
  );
}
