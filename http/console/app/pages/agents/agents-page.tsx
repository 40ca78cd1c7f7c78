import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
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
import { SettingsFrame } from '../../ui/settings-frame.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { whenText } from '../../words/formats.ts';
import { phoneText } from '../../words/phone.ts';
import { wordsOf } from '../../words/words.ts';

const words = wordsOf({
  en: {
    title: 'Team',
    about: 'People who answer in the inbox. Agents see their own and unassigned chats.',
    add: 'New agent',
    none: 'No agents yet',
    noneAbout: 'Add a colleague by phone number. They sign in with a code sent to it.',
    name: 'Name',
    phone: 'Phone number',
    phoneHint: 'With the country code',
    online: 'Online',
    offline: 'Offline',
    off: 'Off',
    seen: (when: string) => `last seen ${when}`,
    turnOff: 'Turn off',
    turnOffOf: (name: string) => `Turn off ${name}`,
    turnOn: 'Turn on',
    turnOnOf: (name: string) => `Turn on ${name}`,
    remove: (name: string) => `Delete ${name}`,
    removeAsk: 'They are signed out at once, and their chats become unassigned.',
  },
  id: {
    title: 'Tim',
    about: 'Orang yang menjawab di kotak masuk. Agen melihat percakapannya dan yang belum ditugaskan.',
    add: 'Agen baru',
    none: 'Belum ada agen',
    noneAbout: 'Tambahkan rekan dengan nomor teleponnya. Ia masuk dengan kode yang dikirim ke sana.',
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
    removeAsk: 'Ia langsung dikeluarkan, dan percakapannya menjadi belum ditugaskan.',
  },
});

export function AgentsPage(): JSX.Element {
  const t = words();
  const agents = useResource('agents', (signal) => call('listAgents', {}, { signal }));
  const add = <Opener label={t.add}>{(isOpen, close) => <NewAgent isOpen={isOpen} onClose={close} onSaved={agents.reload} />}</Opener>;
  return (
    <Page title={t.title} about={t.about} actions={add}>
      <SettingsFrame section="agents">
        <Loaded of={agents}>
          {({ agents: list }) => (
            <Listing of={list} empty={<Empty title={t.none} about={t.noneAbout} />}>
              {(agent) => <Row key={agent.id} agent={agent} onChange={agents.reload} />}
            </Listing>
          )}
        </Loaded>
      </SettingsFrame>
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
          <bdi class="tel">{phoneText(phone)}</bdi>
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
