import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { MomentField } from '../../ui/moment-field.tsx';
import { useSendKey } from '../../ui/send-key.ts';
import { words } from './words.ts';

const HOUR_MS = 3_600_000;

const soon = (): number => Math.ceil(Date.now() / HOUR_MS) * HOUR_MS + HOUR_MS;

interface ScheduledFormProps {
  readonly sessionId: string;
  /** Null for a new message. If a message has a file, only its time can be changed. */
  readonly message: Schemas['SessionScheduledMessage'] | null;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function ScheduledForm({ sessionId, message, isOpen, onClose, onSaved }: ScheduledFormProps): JSX.Element {
  const t = words();
  const [to, text] = [useSignal(message?.chat_id ?? ''), useSignal(message?.body ?? '')];
  const chosen = useSignal<number | null>(null);
  const proposed = useMemo(soon, [isOpen]);
  const at = chosen.value ?? message?.scheduled_at ?? proposed;
  const key = useSendKey();
  const isText = message === null || message.message_type === 'text';
  const patch = {
    ...(at !== message?.scheduled_at && { scheduled_at: at }),
    ...(isText && text.value !== message?.body && { body: text.value }),
  };
  const order = { chat_id: to.value.trim(), type: 'text' as const, body: text.value, scheduled_at: at };
  const save = async (): Promise<void> => {
    if (message) await call('changeScheduled', { params: { sessionId, id: message.id }, body: patch });
    else {
      await call('scheduleMessage', { params: { sessionId }, body: order }, { key: key.of(order) });
      key.done();
      to.value = '';
      text.value = '';
      chosen.value = null;
    }
    onClose();
    onSaved();
  };
  return (
    <FormDialog
      title={message ? t.editMessageOf(message.chat_id) : t.schedule}
      isOpen={isOpen}
      onClose={onClose}
      save={save}
      code={
        message ? (
          <AsCode operation="changeScheduled" input={{ params: { sessionId, id: message.id }, body: patch }} />
        ) : (
          <AsCode operation="scheduleMessage" input={{ params: { sessionId }, body: order }} />
        )
      }
    >
      {!message && (
        <Field label={t.to} hint={t.toHint} required autocomplete="off" value={to.value} onValue={(value) => (to.value = value)} />
      )}
      {isText && <Field label={t.text} hint={t.textHint} required lines={5} value={text.value} onValue={(value) => (text.value = value)} />}
      <MomentField label={t.at} hint={t.atHint} at={at} onAt={(moment) => (chosen.value = moment)} />
    </FormDialog>
  );
}
