import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Choice } from '../../ui/choice.tsx';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { useSendKey } from '../../ui/send-key.ts';
import { words } from './words.ts';

type Rotator = Schemas['Rotator'];

const STRATEGIES: readonly Rotator['strategy'][] = ['round_robin', 'least_recent', 'random'];

interface RotatorFormProps {
  readonly devices: readonly Schemas['Session'][];
  readonly rotator: Rotator | null;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function RotatorForm({ devices, rotator, isOpen, onClose, onSaved }: RotatorFormProps): JSX.Element {
  const t = words();
  const [name, turns] = [useSignal(rotator?.name ?? ''), useSignal<readonly string[]>(rotator?.session_ids ?? [])];
  const strategy = useSignal<Rotator['strategy']>(rotator?.strategy ?? 'round_robin');
  const key = useSendKey();
  const known = turns.value.filter((id) => devices.some((one) => one.id === id));
  const body = { name: name.value, session_ids: known, strategy: strategy.value };
  const save = async (): Promise<void> => {
    if (rotator) await call('changeRotator', { params: { id: rotator.id }, body });
    else {
      await call('createRotator', { body }, { key: key.of(body) });
      key.done();
      name.value = '';
      turns.value = [];
    }
    onClose();
    onSaved();
  };
  return (
    <FormDialog
      title={rotator ? t.editOf(rotator.name) : t.newRotator}
      isOpen={isOpen}
      isReady={known.length >= 2}
      onClose={onClose}
      save={save}
      code={
        rotator ? (
          <AsCode operation="changeRotator" input={{ params: { id: rotator.id }, body }} />
        ) : (
          <AsCode operation="createRotator" input={{ body }} />
        )
      }
    >
      <Field label={t.name} required maxLength={100} autocomplete="off" value={name.value} onValue={(value) => (name.value = value)} />
      <fieldset class="field">
        <legend>{t.devices}</legend>
        <p class="hint">{t.devicesHint}</p>
        {devices.map((device) => {
          const turn = known.indexOf(device.id);
          return (
            <label key={device.id} class="check">
              <input
                type="checkbox"
                checked={turn >= 0}
                onChange={({ currentTarget }) => {
                  turns.value = currentTarget.checked ? [...known, device.id] : known.filter((id) => id !== device.id);
                }}
              />
              <span class="breaks">{nameOfDevice(device)}</span>
              {turn >= 0 && <span class="soft small">{t.turn(turn + 1)}</span>}
            </label>
          );
        })}
      </fieldset>
      <Choice
        label={t.strategy}
        value={strategy.value}
        options={STRATEGIES.map((one) => [one, t.strategies[one]] as const)}
        onValue={(value) => (strategy.value = value)}
      />
    </FormDialog>
  );
}
