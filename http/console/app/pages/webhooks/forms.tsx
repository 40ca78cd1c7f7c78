import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { type Act, useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { words } from './words.ts';

type EventName = Schemas['CreateWebhookRequest']['events'][number];

const BASIC: readonly EventName[] = [
  'message.received',
  'message.sent',
  'message.failed',
  'session.connected',
  'session.disconnected',
  'session.alert',
  'qr.generated',
];
const MORE: readonly EventName[] = [
  'message.delivered',
  'message.read',
  'message.reaction',
  'message.edited',
  'message.deleted',
  'poll.vote',
  'call.received',
  'call.ended',
  'consent.changed',
  'contact.merged',
  'chat.assigned',
  'history.loaded',
  'session.restricted',
  'session.passkey',
  'store.event',
  'quota.warning',
  'invoice.paid',
  'invoice.refunded',
  'invoice.disputed',
  'plan.changed',
  'ai.paused',
  'privacy.erased',
  'health.changed',
  'security.sign_in',
  'security.key_created',
  'security.webhook_created',
  'security.two_factor_changed',
  'security.access_changed',
  'security.data_exported',
  'security.data_deleted',
];

/** Creates a secret in the format that Standard Webhooks libraries use. */
const newSecret = (): string => `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;

export function WebhookForm({ onDone }: { readonly onDone: () => void }): JSX.Element {
  const t = words();
  const [url, secret] = [useSignal(''), useSignal(newSecret())];
  const events = useSignal<ReadonlySet<EventName>>(new Set(BASIC));
  const making = useAct();
  const body = { url: url.value.trim(), secret: secret.value, events: [...events.value] };
  const make = (): Promise<void> =>
    making.run(async () => {
      await call('createWebhook', { body });
      onDone();
    });
  const faultOf = (path: string): string | undefined => making.error.value?.faults.find((one) => one.path === path)?.message;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <Field
        label={t.url}
        hint={t.urlHint}
        fault={faultOf('url')}
        value={url.value}
        onValue={(value) => (url.value = value)}
        inputMode="text"
        autocomplete="off"
        required
        testId="webhook-url"
      />
      <Field
        label={t.secret}
        hint={t.secretHint}
        fault={faultOf('secret')}
        value={secret.value}
        onValue={(value) => (secret.value = value)}
        autocomplete="off"
        required
        testId="webhook-secret"
      />
      <Choice title={t.basic} names={BASIC} chosen={events.value} onChosen={(next) => (events.value = next)} />
      <details>
        <summary>{t.more}</summary>
        <Choice title={t.more} names={MORE} chosen={events.value} onChosen={(next) => (events.value = next)} />
      </details>
      {making.error.value && <Failure error={making.error.value} />}
      <button type="submit" class="button first" data-testid="webhook-save" disabled={making.isBusy.value}>
        {t.save}
      </button>
      <AsCode operation="createWebhook" input={{ body }} />
    </form>
  );
}

interface ChoiceProps {
  readonly title: string;
  readonly names: readonly EventName[];
  readonly chosen: ReadonlySet<EventName>;
  readonly onChosen: (chosen: ReadonlySet<EventName>) => void;
}

function Choice({ title, names, chosen, onChosen }: ChoiceProps): JSX.Element {
  const toggle = (name: EventName, isOn: boolean): void => {
    const next = new Set(chosen);
    if (isOn) next.add(name);
    else next.delete(name);
    onChosen(next);
  };
  return (
    <fieldset class="field">
      <legend>{title}</legend>
      <div class="choices small">
        {names.map((name) => (
          <label key={name} class="check">
            <input type="checkbox" checked={chosen.has(name)} onChange={(event) => toggle(name, event.currentTarget.checked)} />
            <code>{name}</code>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

export function SecretForm({ acting, onSecret }: { readonly acting: Act; readonly onSecret: (secret: string) => void }): JSX.Element {
  const t = words();
  const secret = useSignal(newSecret());
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        onSecret(secret.value);
      }}
    >
      <Field
        label={t.secret}
        hint={t.secretHint}
        value={secret.value}
        onValue={(value) => (secret.value = value)}
        autocomplete="off"
        required
      />
      {acting.error.value && <Failure error={acting.error.value} onRetry={() => onSecret(secret.value)} />}
      <button type="submit" class="button first" data-testid="confirm" disabled={acting.isBusy.value}>
        {t.changeSecret}
      </button>
    </form>
  );
}
