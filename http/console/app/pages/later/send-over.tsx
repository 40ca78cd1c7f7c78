import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Field } from '../../ui/field.tsx';
import { useSendKey } from '../../ui/send-key.ts';
import { Failure } from '../../ui/states.tsx';
import { words } from './words.ts';

interface SendOverProps {
  readonly rotatorId: string;
  readonly nameOf: (sessionId: string) => string;
}

export function SendOver({ rotatorId, nameOf }: SendOverProps): JSX.Element {
  const t = words();
  const [to, text] = [useSignal(''), useSignal('')];
  const sender = useSignal<string | null>(null);
  const [sending, key] = [useAct(), useSendKey()];
  const params = { id: rotatorId };
  const body = { chat_id: to.value.trim(), type: 'text' as const, body: text.value };
  const send = (): Promise<void> =>
    sending.run(async () => {
      sender.value = null;
      sender.value = (await call('sendOverRotator', { params, body }, { key: key.of(body) })).session_id;
      key.done();
      text.value = '';
    });
  return (
    <details class="line as-code">
      <summary>{t.sendOver}</summary>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Field label={t.to} hint={t.toHint} required autocomplete="off" value={to.value} onValue={(value) => (to.value = value)} />
        <Field label={t.text} required lines={3} value={text.value} onValue={(value) => (text.value = value)} />
        {sending.error.value && <Failure error={sending.error.value} onRetry={send} />}
        <div class="row">
          <button type="submit" class="button slim" disabled={sending.isBusy.value}>
            {t.send}
          </button>
          <span role="status" class="small">
            {sender.value !== null && t.sentBy(nameOf(sender.value))}
          </span>
        </div>
        <AsCode operation="sendOverRotator" input={{ params, body }} />
      </form>
    </details>
  );
}
