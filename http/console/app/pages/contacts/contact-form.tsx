import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { words } from './words.ts';

interface ContactFormProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: (id: string) => void;
}

export const listIn = (typed: string): readonly string[] =>
  typed
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

export function ContactForm({ isOpen, onClose, onDone }: ContactFormProps): JSX.Element {
  const t = words();
  const [name, phone, tags] = [useSignal(''), useSignal(''), useSignal('')];
  const save = async (): Promise<void> => {
    const body = { name: name.value.trim() === '' ? null : name.value.trim(), phone: phone.value.trim(), tags: [...listIn(tags.value)] };
    const { id } = await call('createContact', { body });
    for (const field of [name, phone, tags]) field.value = '';
    onDone(id);
  };
  return (
    <FormDialog title={t.add} isOpen={isOpen} onClose={onClose} isReady={phone.value.trim() !== ''} save={save}>
      <Field label={t.name} value={name.value} onValue={(value) => (name.value = value)} autocomplete="off" testId="contact-name" />
      <Field
        label={t.phone}
        hint={t.phoneHint}
        type="tel"
        value={phone.value}
        onValue={(value) => (phone.value = value)}
        autocomplete="off"
        required
        testId="contact-phone"
      />
      <Field
        label={t.tags}
        hint={t.tagsHint}
        value={tags.value}
        onValue={(value) => (tags.value = value)}
        autocomplete="off"
        testId="contact-tags"
      />
    </FormDialog>
  );
}
