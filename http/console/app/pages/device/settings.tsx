import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { words } from './words.ts';

interface SettingsProps {
  readonly session: Schemas['Session'];
  readonly onChange: () => void;
}

/** Its name, and the proxy that its traffic takes. */
export function Settings({ session, onChange }: SettingsProps): JSX.Element {
  const t = words();
  const [name, proxy] = [useSignal(session.name ?? ''), useSignal(session.proxy_url ?? '')];
  const isSaved = useSignal(false);
  const saving = useAct();
  const body = {
    ...(name.value !== (session.name ?? '') && { name: name.value === '' ? null : name.value }),
    // Shown without its password: one that is not touched is not sent.
    ...(proxy.value !== (session.proxy_url ?? '') && { proxy_url: proxy.value === '' ? null : proxy.value }),
  };
  const isChanged = Object.keys(body).length > 0;
  const params = { sessionId: session.id };
  const save = (): Promise<void> =>
    saving.run(async () => {
      await call('updateSession', { params, body });
      isSaved.value = true;
      onChange();
    });
  const fault = (field: string): string | undefined => saving.error.value?.faults.find(({ path }) => path === field)?.message;
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) void save();
      }}
    >
      <h2>{t.settings}</h2>
      <Field
        label={t.deviceName}
        maxLength={64}
        autocomplete="off"
        value={name.value}
        onValue={(value) => (name.value = value)}
        fault={fault('name')}
      />
      <Field
        label={t.proxy}
        hint={t.proxyHint}
        autocomplete="off"
        value={proxy.value}
        onValue={(value) => (proxy.value = value)}
        fault={fault('proxy_url')}
      />
      {saving.error.value && <Failure error={saving.error.value} onRetry={save} />}
      <div class="row apart">
        <span class="row">
          <button type="submit" class="button" disabled={!isChanged || saving.isBusy.value}>
            {common().save}
          </button>
          <span role="status" class="small soft">
            {isSaved.value && !isChanged ? t.saved : ''}
          </span>
        </span>
        <AsCode operation="updateSession" input={{ params, body }} />
      </div>
    </form>
  );
}
