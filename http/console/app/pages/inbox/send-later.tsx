import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { MomentField } from '../../ui/moment-field.tsx';
import { useSendKey } from '../../ui/send-key.ts';
import { words } from './words.ts';

const HOUR_MS = 3_600_000;

interface SendLaterProps {
  readonly sessionId: string;
  readonly chatId: string;
  readonly text: string;
  readonly onPlanned: () => void;
}

export function SendLater({ sessionId, chatId, text, onPlanned }: SendLaterProps): JSX.Element {
  const t = words();
  const isOpen = useSignal(false);
  const at = useSignal(0);
  const key = useSendKey();
  const close = (): void => {
    isOpen.value = false;
  };
  const plan = async (): Promise<void> => {
    const body = { chat_id: chatId, type: 'text' as const, body: text, scheduled_at: at.value };
    await call('scheduleMessage', { params: { sessionId }, body }, { key: key.of(body) });
    close();
    onPlanned();
  };
  return (
    <>
      <button
        type="button"
        class="button slim plain"
        data-testid="composer-later"
        aria-haspopup="dialog"
        aria-label={t.sendLater}
        title={t.sendLater}
        disabled={text.trim() === ''}
        onClick={() => {
          at.value = Date.now() + HOUR_MS;
          isOpen.value = true;
        }}
      >
        <Icon name="scheduled" />
      </button>
      <FormDialog title={t.sendLater} verb={t.plan} isOpen={isOpen.value} onClose={close} save={plan}>
        <p class="message-text small soft">
          <bdi>{text.slice(0, 200)}</bdi>
        </p>
        <MomentField label={t.sendAt} at={at.value} onAt={(value) => (at.value = value)} />
      </FormDialog>
    </>
  );
}
