import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { EditableRow } from '../../ui/editable-row.tsx';
import { Field } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Opener } from '../../ui/opener.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { wordsOf } from '../../words/words.ts';

type Attribute = Schemas['Attribute'];
type Type = Attribute['type'];

const words = wordsOf({
  en: {
    title: 'Contact fields',
    about: 'What you keep about contacts besides name and number. Use a field in texts as {attr.key}, in segments, and in imports.',
    add: 'New field',
    none: 'No fields yet',
    noneAbout: 'Add one, such as City or Birthday, or let an import add them.',
    label: 'Name',
    labelHint: 'Shown to your team',
    key: 'Key',
    keyHint: 'Lowercase letters, digits and _; it cannot be changed later',
    type: 'Type',
    types: { text: 'Text', number: 'Number', date: 'Date', boolean: 'Yes or no' },
    edit: (name: string) => `Edit ${name}`,
    remove: (name: string) => `Delete ${name}`,
    removeAsk: 'The values of this field are also deleted from all contacts.',
  },
  id: {
    title: 'Kolom data kontak',
    about: 'Yang Anda simpan tentang kontak selain nama dan nomor. Pakai di teks sebagai {attr.key}, di segmen, dan saat impor.',
    add: 'Kolom baru',
    none: 'Belum ada kolom',
    noneAbout: 'Tambahkan satu, misalnya Kota atau Ulang tahun, atau biarkan impor menambahkannya.',
    label: 'Nama',
    labelHint: 'Terlihat oleh tim Anda',
    key: 'Kunci',
    keyHint: 'Huruf kecil, angka, dan _; tidak bisa diubah nanti',
    type: 'Jenis',
    types: { text: 'Teks', number: 'Angka', date: 'Tanggal', boolean: 'Ya atau tidak' },
    edit: (name: string) => `Ubah ${name}`,
    remove: (name: string) => `Hapus ${name}`,
    removeAsk: 'Isi kolom ini pada semua kontak ikut dihapus.',
  },
});

export function Fields(): JSX.Element {
  const t = words();
  const fields = useResource('attributes', (signal) => call('listAttributes', {}, { signal }));
  return (
    <>
      <div class="card-head">
        <div class="grow">
          <h2>{t.title}</h2>
          <p class="soft">{t.about}</p>
        </div>
        <Opener label={t.add}>
          {(isOpen, close) => <FieldForm key={String(isOpen)} isOpen={isOpen} onClose={close} onSaved={fields.reload} />}
        </Opener>
      </div>
      <Loaded of={fields}>
        {({ attributes }) => (
          <Listing of={attributes} empty={<Empty title={t.none} about={t.noneAbout} />}>
            {(field) => <Row key={field.id} field={field} onChange={fields.reload} />}
          </Listing>
        )}
      </Loaded>
    </>
  );
}

function Row({ field, onChange }: { readonly field: Attribute; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, key, label, type } = field;
  return (
    <EditableRow
      testId="field-row"
      edit={{
        label: t.edit(label),
        form: (isOpen, close) => <FieldForm field={field} isOpen={isOpen} onClose={close} onSaved={onChange} />,
      }}
      remove={{ label: t.remove(label), ask: t.removeAsk, run: () => call('deleteAttribute', { params: { id } }) }}
      act={useAct()}
      onChange={onChange}
    >
      <div class="grow">
        <strong class="breaks">
          <bdi>{label}</bdi>
        </strong>
        <p class="small meta breaks">
          <code>{`{attr.${key}}`}</code>
        </p>
      </div>
      <Badge tone="calm" text={t.types[type]} />
    </EditableRow>
  );
}

interface FieldFormProps {
  readonly field?: Attribute;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

const TYPES: readonly Type[] = ['text', 'number', 'date', 'boolean'];

function FieldForm({ field, isOpen, onClose, onSaved }: FieldFormProps): JSX.Element {
  const t = words();
  const [label, key, type] = [useSignal(field?.label ?? ''), useSignal(field?.key ?? ''), useSignal<Type>(field?.type ?? 'text')];
  const body = { label: label.value, type: type.value };
  const save = async (): Promise<void> => {
    if (field) await call('changeAttribute', { params: { id: field.id }, body });
    else await call('createAttribute', { body: { ...body, key: key.value } });
    onClose();
    onSaved();
  };
  return (
    <FormDialog title={field ? t.edit(field.label) : t.add} isOpen={isOpen} onClose={onClose} save={save}>
      <Field
        label={t.label}
        hint={t.labelHint}
        required
        maxLength={100}
        autocomplete="off"
        value={label.value}
        onValue={(value) => {
          // The key follows the name until the user edits the key itself.
          if (!field && key.value === keyOf(label.value)) key.value = keyOf(value);
          label.value = value;
        }}
      />
      {!field && (
        <Field
          label={t.key}
          hint={t.keyHint}
          required
          maxLength={40}
          autocomplete="off"
          value={key.value}
          onValue={(value) => (key.value = value)}
        />
      )}
      <Choice
        label={t.type}
        value={type.value}
        options={TYPES.map((one) => [one, t.types[one]] as const)}
        onValue={(one) => (type.value = one)}
      />
    </FormDialog>
  );
}

/** Derives a key from a label: `Tanggal lahir` becomes `tanggal_lahir`. */
const keyOf = (label: string): string =>
  label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 40);
