import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Badge } from '../../ui/badge.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { EditableRow } from '../../ui/editable-row.tsx';
import { Field } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Opener } from '../../ui/opener.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { whenText } from '../../words/formats.ts';
import { wordsOf } from '../../words/words.ts';

const words = wordsOf({
  en: {
    title: 'Agents',
    about: 'People who answer in the inbox. They sign in with their own phone and see their chats and those that nobody has.',
    add: 'New agent',
    none: 'No agents yet',
    noneAbout: 'Add a colleague by their phone number; they sign in with the code that it gets.',
    name: 'Name',
    phone: 'Phone number',
    phoneHint: 'With the country code',
    online: 'Online',
    offline: 'Offline',
    off: 'Switched off',
    seen: (when: string) => `last seen ${when}`,
    turnOff: 'Switch off',
    turnOffOf: (name: string) => `Switch off ${name}`,
    turnOn: 'Switch on',
    turnOnOf: (name: string) => `Switch on ${name}`,
    remove: (name: string) => `Delete ${name}`,
    removeAsk: 'They are signed out at once, and their chats belong to nobody.',
  },
  id: {
    title: 'Agen',
    about:
      'Orang yang menjawab di kotak masuk. Mereka masuk dengan ponsel sendiri dan melihat obrolannya serta yang belum dipegang siapa pun.',
    add: 'Agen baru',
    none: 'Belum ada agen',
    noneAbout: 'Tambahkan rekan dengan nomor teleponnya; ia masuk dengan kode yang diterimanya.',
    name: 'Nama',
    phone: 'Nomor telepon',
    phoneHint: 'Dengan kode negara',
    online: 'Online',
    offline: 'Offline',
    off: 'Nonaktif',
    seen: (when: string) => `terakhir terlihat ${when}`,
    turnOff: 'Nonaktifkan',
    turnOffOf: (name: string) => `Nonaktifkan ${name}`,
    turnOn: 'Aktifkan',
    turnOnOf: (name: string) => `Aktifkan ${name}`,
    remove: (name: string) => `Hapus ${name}`,
    removeAsk: 'Ia langsung dikeluarkan, dan obrolannya tidak dipegang siapa pun.',
  },
});

export function AgentsPage(): JSX.Element {
  const t = words();
  const agents = useResource('agents', (signal) => call('listAgents', {}, { signal }));
  const add = <Opener label={t.add}>{(isOpen, close) => <NewAgent isOpen={isOpen} onClose={close} onSaved={agents.reload} />}</Opener>;
  return (
    <Page title={t.title} about={t.about} actions={add}>
      <Loaded of={agents}>
        {({ agents: list }) => (
          <Listing of={list} empty={<Empty title={t.none} about={t.noneAbout} />}>
            {(agent) => <Row key={agent.id} agent={agent} onChange={agents.reload} />}
          </Listing>
        )}
      </Loaded>
    </Page>
  );
}

function Row({ agent, onChange }: { readonly agent: Schemas['Agent']; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, name, phone, is_active, online, last_seen_at } = agent;
  const acting = useAct();
  const act = (work: () => Promise<unknown>): Promise<void> =>
    acting.run(async () => {
      await work();
      onChange();
    });
  return (
    <EditableRow
      remove={{ label: t.remove(name), ask: t.removeAsk, run: () => call('deleteAgent', { params: { id } }) }}
      act={acting}
      onChange={onChange}
    >
      <div class="grow">
        <strong class="breaks">{name}</strong>
        <p class="soft small">
          {phone}
          {!online && last_seen_at !== null && ` · ${t.seen(whenText(last_seen_at))}`}
        </p>
      </div>
      <Badge tone={is_active && online ? 'good' : 'calm'} text={is_active ? (online ? t.online : t.offline) : t.off} />
      <button
        type="button"
        class="button slim"
        aria-label={is_active ? t.turnOffOf(name) : t.turnOnOf(name)}
        disabled={acting.isBusy.value}
        onClick={() => act(() => call('updateAgent', { params: { id }, body: { is_active: !is_active } }))}
      >
        {is_active ? t.turnOff : t.turnOn}
      </button>
    </EditableRow>
  );
}

interface NewAgentProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

function NewAgent({ isOpen, onClose, onSaved }: NewAgentProps): JSX.Element {
  const t = words();
  const [name, phone] = [useSignal(''), useSignal('')];
  const save = async (): Promise<void> => {
    await call('createAgent', { body: { name: name.value, phone: phone.value } });
    name.value = '';
    phone.value = '';
    onClose();
    onSaved();
  };
  return (
    <FormDialog title={t.add} verb={common().add} isOpen={isOpen} onClose={onClose} save={save}>
      <Field label={t.name} required maxLength={100} autocomplete="off" value={name.value} onValue={(value) => (name.value = value)} />
      <Field
        label={t.phone}
        hint={t.phoneHint}
        type="tel"
        required
        autocomplete="off"
        value={phone.value}
        onValue={(value) => (phone.value = value)}
      />
    </FormDialog>
  );
}
