import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { words } from './words.ts';

interface SettingsProps {
  readonly session: Schemas['Session'];
  readonly onChange: () => void;
}

export function Settings({ session, onChange }: SettingsProps): JSX.Element {
  const t = words();
  const params = { sessionId: session.id };
  const [name, proxy] = [useSignal(session.name ?? ''), useSignal(session.proxy_url ?? '')];
  const presence = useSignal(session.presence);
  const [saving, isSaved] = [useAct(), useSignal(false)];
  // The proxy password is never shown, so an unchanged proxy is omitted from the call and kept.
  const isProxyNew = proxy.value !== (session.proxy_url ?? '');
  const body = {
    name: name.value === '' ? null : name.value,
    ...(isProxyNew && { proxy_url: proxy.value === '' ? null : proxy.value }),
    ...(presence.value !== session.presence && { presence: presence.value }),
  };
  const save = (): Promise<void> =>
    saving.run(async () => {
      isSaved.value = false;
      proxy.value = (await call('updateSession', { params, body })).proxy_url ?? '';
      isSaved.value = true;
      onChange();
    });
  return (
    <details class="card" data-testid="device-settings">
      <summary>{t.settings}</summary>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field label={t.ownName} maxLength={64} autocomplete="off" value={name.value} onValue={(value) => (name.value = value)} />
        <Field
          label={t.proxy}
          hint={t.proxyHint}
          autocomplete="off"
          type="url"
          value={proxy.value}
          onValue={(value) => (proxy.value = value)}
        />
        <Choice
          label={t.presence}
          hint={t.presenceHint}
          value={presence.value}
          options={[
            ['offline', t.presences.offline],
            ['auto', t.presences.auto],
            ['online', t.presences.online],
          ]}
          onValue={(value) => (presence.value = value)}
        />
        {saving.error.value && <Failure error={saving.error.value} onRetry={save} />}
        <div class="row">
          <button type="submit" class="button" disabled={saving.isBusy.value}>
            {common().save}
          </button>
          <span role="status" class="small soft">
            {isSaved.value && t.saved}
          </span>
        </div>
        <AsCode operation="updateSession" input={{ params, body }} />
      </form>
    </details>
  );
}
