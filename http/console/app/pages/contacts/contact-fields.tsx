import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { phoneText } from '../../words/phone.ts';
import { listIn } from './contact-form.tsx';
import { words } from './words.ts';

type Contact = Schemas['Contact'];

interface ContactFieldsProps {
  readonly contact: Contact;
  readonly onContact: (contact: Contact) => void;
}

export function ContactFields({ contact, onContact }: ContactFieldsProps): JSX.Element {
  const t = words();
  const stored = {
    name: contact.name ?? '',
    phone: contact.phone === null ? '' : phoneText(contact.phone),
    tags: contact.tags.join(', '),
    attrs: contact.attrs,
  };
  const value = useSignal<typeof stored>(stored);
  const saving = useAct();
  const found = useResource('attributes', (signal) => call('listAttributes', {}, { signal })).load.value;
  const labels = new Map(found.state === 'loaded' ? found.data.attributes.map(({ key, label }) => [key, label]) : []);
  const keys = [...new Set([...labels.keys(), ...Object.keys(contact.attrs)])];
  const isHidden = contact.phone === null;
  const isChanged = JSON.stringify(value.value) !== JSON.stringify(stored);
  const change = (patch: Partial<typeof stored>): void => {
    value.value = { ...value.value, ...patch };
  };
  const save = (): Promise<void> =>
    saving.run(async () => {
      const { name, phone, tags, attrs } = value.value;
      const changed = Object.entries(attrs).filter(([key, text]) => text !== (contact.attrs[key] ?? ''));
      onContact(
        await call('changeContact', {
          params: { id: contact.id },
          body: {
            name: name.trim() === '' ? null : name.trim(),
            tags: [...listIn(tags)],
            ...(!isHidden && phone.trim() !== stored.phone && { phone: phone.trim() }),
            attrs: Object.fromEntries(changed.map(([key, text]) => [key, text.trim() === '' ? null : text.trim()])),
          },
        }),
      );
    });
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) void save();
      }}
    >
      <section class="card form" aria-label={t.contact}>
        <Field label={t.name} value={value.value.name} onValue={(name) => change({ name })} autocomplete="off" testId="contact-name" />
        {isHidden ? (
          <p class="soft" data-testid="contact-hidden">
            {t.hiddenHint}
          </p>
        ) : (
          <Field
            label={t.phone}
            hint={t.phoneHint}
            type="tel"
            value={value.value.phone}
            onValue={(phone) => change({ phone })}
            autocomplete="off"
            required
            testId="contact-phone"
          />
        )}
        <Field
          label={t.tags}
          hint={t.tagsHint}
          value={value.value.tags}
          onValue={(tags) => change({ tags })}
          autocomplete="off"
          testId="contact-tags"
        />
        {keys.map((key) => (
          <Field
            key={key}
            label={labels.get(key) ?? key}
            value={value.value.attrs[key] ?? ''}
            onValue={(text) => change({ attrs: { ...value.value.attrs, [key]: text } })}
            autocomplete="off"
          />
        ))}
      </section>
      {saving.error.value && <Failure error={saving.error.value} />}
      {isChanged && (
        <div class="save-bar" data-testid="save-bar">
          <span>{common().unsaved}</span>
          <button type="button" class="button plain" onClick={() => (value.value = stored)}>
            {common().discard}
          </button>
          <button type="submit" class="button first" data-testid="contact-save" disabled={saving.isBusy.value}>
            {t.save}
          </button>
        </div>
      )}
    </form>
  );
}
