import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { ApiError } from '../../api/request.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { whenText } from '../../words/formats.ts';
import { words } from './words.ts';

const canMake = (): boolean => isSecureContext && 'PublicKeyCredential' in window && 'parseCreationOptionsFromJSON' in PublicKeyCredential;

export function Passkeys(): JSX.Element {
  const t = words();
  const passkeys = useResource('passkeys', (signal) => call('listPasskeys', {}, { signal }));
  return (
    <section class="card stack">
      <h3>{t.passkeys}</h3>
      <p class="soft">{t.passkeysAbout}</p>
      <Loaded of={passkeys}>
        {({ passkeys: list }) => (
          <Listing of={list} empty={<p class="soft">{t.noPasskeys}</p>}>
            {(passkey) => <Row key={passkey.id} passkey={passkey} onChange={passkeys.reload} />}
          </Listing>
        )}
      </Loaded>
      {canMake() ? <NewPasskey onMade={passkeys.reload} /> : <p class="soft small">{t.cannotMake}</p>}
    </section>
  );
}

function NewPasskey({ onMade }: { readonly onMade: () => void }): JSX.Element {
  const t = words();
  const name = useSignal('');
  const making = useAct();
  const make = (): Promise<void> =>
    making.run(async () => {
      const credential = await created(await call('startPasskey', {}), t.notMade);
      await call('addPasskey', { body: { name: name.value, credential } });
      name.value = '';
      onMade();
    });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <Field
        label={t.passkeyName}
        hint={t.passkeyNameHint}
        required
        maxLength={64}
        autocomplete="off"
        value={name.value}
        onValue={(value) => (name.value = value)}
      />
      {making.error.value && <Failure error={making.error.value} onRetry={make} />}
      <div class="row">
        <button type="submit" class="button" disabled={making.isBusy.value}>
          {t.addPasskey}
        </button>
      </div>
    </form>
  );
}

/** `otherwise` is the message to show if the person cancels or the browser fails. */
async function created(options: object, otherwise: string): Promise<Schemas['AddPasskeyRequest']['credential']> {
  const asked: PublicKeyCredentialCreationOptionsJSON = Object(options);
  const made = await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(asked) }).catch(() => null);
  if (!(made instanceof PublicKeyCredential)) throw new ApiError(otherwise, { code: 'CANCELLED' });
  const proof: Schemas['AddPasskeyRequest']['credential'] = Object(made.toJSON());
  return proof;
}

function Row({ passkey, onChange }: { readonly passkey: Schemas['Passkey']; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, name, created_at } = passkey;
  const isAsked = useSignal(false);
  const removing = useAct();
  const close = (): void => {
    isAsked.value = false;
  };
  const remove = (): Promise<void> =>
    removing.run(async () => {
      await call('removePasskey', { params: { id } }).finally(close);
      onChange();
    });
  return (
    <li data-testid="passkey-row">
      <div class="line">
        <div class="grow">
          <p class="breaks">{name}</p>
          <p class="soft small">{t.since(whenText(created_at))}</p>
        </div>
        <button
          type="button"
          class="button slim"
          aria-haspopup="dialog"
          aria-label={t.removePasskey(name)}
          onClick={() => (isAsked.value = true)}
        >
          {common().remove}
        </button>
      </div>
      {removing.error.value && <Failure error={removing.error.value} onRetry={remove} />}
      <Confirm
        title={t.removePasskey(name)}
        verb={common().remove}
        isDangerous
        isOpen={isAsked.value}
        isBusy={removing.isBusy.value}
        onClose={close}
        onConfirm={remove}
      >
        <p>{t.removePasskeyAsk}</p>
      </Confirm>
    </li>
  );
}
