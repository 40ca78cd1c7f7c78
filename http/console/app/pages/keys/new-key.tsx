import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { common } from '../../words/common.ts';
import { words } from './words.ts';

const SCOPES = ['read', 'send', 'manage'] as const;
type Scope = (typeof SCOPES)[number];

interface NewKeyProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (key: string) => void;
}

export function NewKey({ isOpen, onClose, onMade }: NewKeyProps): JSX.Element {
  const t = words();
  const name = useSignal('');
  const chosen = useSignal<readonly Scope[]>(SCOPES);
  const make = async (): Promise<void> => {
    const { key } = await call('createApiKey', { body: { name: name.value, scopes: [...chosen.value] } });
    name.value = '';
    onClose();
    onMade(key);
  };
  const turn = (scope: Scope): void => {
    chosen.value = SCOPES.filter((one) => chosen.value.includes(one) !== (one === scope));
  };
  return (
    <FormDialog title={t.add} verb={common().add} isOpen={isOpen} onClose={onClose} save={make}>
      <Field
        label={t.name}
        hint={t.nameHint}
        required
        maxLength={100}
        autocomplete="off"
        value={name.value}
        onValue={(value) => (name.value = value)}
      />
      <fieldset class="field">
        <legend>{t.scopes}</legend>
        {SCOPES.map((scope) => (
          <label key={scope} class="row">
            <input type="checkbox" checked={chosen.value.includes(scope)} onChange={() => turn(scope)} />
            {t.scopeNames[scope]}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
