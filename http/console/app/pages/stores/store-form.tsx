import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { common } from '../../words/common.ts';
import { words } from './words.ts';

type Platform = Schemas['StoreIntegration']['platform'];

interface StoreFormProps {
  readonly store: Schemas['StoreIntegration'] | null;
  readonly devices: readonly (readonly [string, string])[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: (answer: Schemas['ConnectStoreResponse']) => void;
}

export function StoreForm({ store, devices, isOpen, onClose, onSaved }: StoreFormProps): JSX.Element {
  const t = words();
  const platform = useSignal<Platform>(store?.platform ?? 'platform_a');
  const [name, device, secret] = [useSignal(store?.name ?? ''), useSignal(store?.session_id ?? ''), useSignal('')];
  const own = platform.value === 'platform_a' && secret.value !== '' ? { secret: secret.value } : {};
  const made = {
    platform: platform.value,
    name: name.value,
    ...(device.value !== '' && { session_id: device.value }),
  };
  const changed = { name: name.value, session_id: device.value === '' ? null : device.value };
  const save = async (): Promise<void> => {
    const answer = store
      ? await call('changeStore', { params: { id: store.id }, body: { ...changed, ...own } })
      : await call('connectStore', { body: { ...made, ...own } });
    secret.value = '';
    if (!store) name.value = '';
    onClose();
    onSaved(answer);
  };
  return (
    <FormDialog
      title={store ? t.editOf(store.name) : t.add}
      verb={store ? common().save : t.add}
      isOpen={isOpen}
      onClose={onClose}
      save={save}
      code={
        store ? (
          <AsCode operation="changeStore" input={{ params: { id: store.id }, body: changed }} />
        ) : (
          <AsCode operation="connectStore" input={{ body: made }} />
        )
      }
    >
      {!store && (
        <Choice
          label={t.platform}
          value={platform.value}
          options={[
            ['platform_a', t.platforms.platform_a],
            ['platform_b', t.platforms.platform_b],
          ]}
          onValue={(value) => (platform.value = value)}
        />
      )}
      <Field label={t.name} required maxLength={80} autocomplete="off" value={name.value} onValue={(value) => (name.value = value)} />
      <Choice label={t.device} value={device.value} options={devices} onValue={(value) => (device.value = value)} />
      {platform.value === 'platform_a' && (
        <Field
          label={t.secret}
          hint={store?.has_secret ? t.keepSecret : t.secretHint}
          maxLength={200}
          autocomplete="off"
          value={secret.value}
          onValue={(value) => (secret.value = value)}
        />
      )}
    </FormDialog>
  );
}
