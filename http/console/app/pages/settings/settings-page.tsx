import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Field } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { Logins } from './logins.tsx';
import { Passkeys } from './passkeys.tsx';
import { SecondFactor } from './second-factor.tsx';
import { words } from './words.ts';

/** What concerns the account as a whole. */
export function SettingsPage(): JSX.Element {
  const t = words();
  const profile = useResource('profile', (signal) => call('getProfile', {}, { signal }));
  return (
    <Page title={t.title}>
      <div class="stack">
        <Loaded of={profile}>{(data) => <Business profile={data} />}</Loaded>
        <SecondFactor />
        <Passkeys />
        <Logins />
      </div>
    </Page>
  );
}

function Business({ profile }: { readonly profile: Schemas['BusinessProfile'] }): JSX.Element {
  const t = words();
  const [name, timezone] = [useSignal(profile.business_name ?? ''), useSignal(profile.timezone)];
  const isSaved = useSignal(false);
  const saving = useAct();
  const save = (): Promise<void> =>
    saving.run(async () => {
      isSaved.value = false;
      await call('putProfile', { body: { business_name: name.value === '' ? null : name.value, timezone: timezone.value } });
      isSaved.value = true;
    });
  const fault = (field: string): string | undefined => saving.error.value?.faults.find(({ path }) => path === field)?.message;
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2>{t.business}</h2>
      <Field
        label={t.name}
        maxLength={100}
        autocomplete="organization"
        value={name.value}
        onValue={(value) => (name.value = value)}
        fault={fault('business_name')}
      />
      <Field
        label={t.timezone}
        hint={t.timezoneHint}
        autocomplete="off"
        value={timezone.value}
        onValue={(value) => (timezone.value = value)}
        fault={fault('timezone')}
      />
      {saving.error.value && <Failure error={saving.error.value} onRetry={save} />}
      <div class="row">
        <button type="submit" class="button" disabled={saving.isBusy.value}>
          {common().save}
        </button>
        <span role="status" class="small soft">
          {isSaved.value ? t.saved : ''}
        </span>
      </div>
    </form>
  );
}
