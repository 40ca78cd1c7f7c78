import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { words } from './words.ts';

interface TemplateFormProps {
  readonly template: Schemas['Template'] | null;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function TemplateForm({ template, isOpen, onClose, onSaved }: TemplateFormProps): JSX.Element {
  const t = words();
  const [name, body] = [useSignal(template?.name ?? ''), useSignal(template?.body ?? '')];
  const input = { name: name.value, body: body.value };
  const save = async (): Promise<void> => {
    if (template) await call('changeTemplate', { params: { id: template.id }, body: input });
    else {
      await call('createTemplate', { body: { ...input, message_type: 'text' } });
      name.value = '';
      body.value = '';
    }
    onClose();
    onSaved();
  };
  return (
    <FormDialog
      title={template ? t.edit(template.name) : t.add}
      isOpen={isOpen}
      onClose={onClose}
      save={save}
      code={<AsCode operation="createTemplate" input={{ body: { ...input, message_type: 'text' } }} />}
    >
      <Field label={t.name} required maxLength={100} autocomplete="off" value={name.value} onValue={(value) => (name.value = value)} />
      <Field label={t.body} hint={t.bodyHint} required lines={6} value={body.value} onValue={(value) => (body.value = value)} />
    </FormDialog>
  );
}
