import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { BASE } from '../../../pages.ts';
import { call, newKey } from '../../api/client.ts';
import { deviceOf, nameOfDevice } from '../../ui/device-choice.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Opener } from '../../ui/opener.tsx';
import { common } from '../../words/common.ts';
import { phoneText } from '../../words/phone.ts';
import { words } from './words.ts';

type Contact = Schemas['Contact'];

const SHOWN = 8;
const PAUSE_MS = 200;

interface NewConversationProps {
  readonly devices: readonly Schemas['Session'][];
  readonly look?: string;
  readonly to?: string;
}

export const NewConversation = ({ devices, look = 'button first', to = '' }: NewConversationProps): JSX.Element => (
  <Opener label={words().newChat} look={look} testId="new-conversation">
    {(isOpen, close) => <FirstMessage {...{ devices, isOpen, close, to }} />}
  </Opener>
);

interface FirstMessageProps extends Required<Pick<NewConversationProps, 'devices' | 'to'>> {
  readonly isOpen: boolean;
  readonly close: () => void;
}

function FirstMessage({ devices, to, isOpen, close }: FirstMessageProps): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const [recipient, text, chosen] = [useSignal(to), useSignal(''), useSignal('')];
  const found = useSignal<readonly Contact[]>([]);
  const device = deviceOf(devices, chosen.value || undefined);
  useEffect(() => {
    const typed = recipient.value.trim();
    if (!isOpen || typed.length < 2) return;
    const over = new AbortController();
    const timer = setTimeout(() => {
      call('listContacts', { query: { q: typed, limit: SHOWN } }, { signal: over.signal }).then(
        ({ contacts }) => (found.value = contacts),
        () => {},
      );
    }, PAUSE_MS);
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [isOpen, recipient.value]);

  // The same text to the same person is sent only once, even if the response is lost.
  const key = useMemo(newKey, [isOpen, recipient.value, text.value, chosen.value]);

  const begin = async (): Promise<void> => {
    if (!device) return;
    const params = { sessionId: device.id };
    const typed = recipient.value.trim();
    const contact = found.value.find((one) => labelOf(one) === typed);
    const chat_id = contact ? addressOf(contact) : typed;
    const { id } = await call('sendMessage', { params, body: { chat_id, type: 'text', body: text.value, connect_only: false } }, { key });
    const sent = await call('getMessage', { params: { ...params, messageId: id } });
    close();
    recipient.value = to;
    text.value = '';
    route(`${BASE}/inbox/${device.id}/${encodeURIComponent(sent.chat_id)}`);
  };

  return (
    <FormDialog
      title={t.newChat}
      isOpen={isOpen}
      onClose={close}
      verb={t.send}
      isReady={device !== undefined && recipient.value.trim() !== '' && text.value.trim() !== ''}
      save={begin}
    >
      <Field
        label={t.recipient}
        hint={t.recipientHint}
        testId="recipient"
        value={recipient.value}
        options={found.value.map(labelOf)}
        autocomplete="off"
        onValue={(value) => (recipient.value = value)}
        required
        maxLength={100}
      />
      <div class="field">
        <label for="recipient-device">{common().device}</label>
        <select
          id="recipient-device"
          data-testid="recipient-device"
          value={device?.id ?? ''}
          onChange={(event) => (chosen.value = event.currentTarget.value)}
        >
          {devices.map((one) => (
            <option key={one.id} value={one.id}>
              {nameOfDevice(one)}
            </option>
          ))}
        </select>
      </div>
      <Field
        label={t.firstMessage}
        testId="first-message"
        value={text.value}
        lines={4}
        onValue={(value) => (text.value = value)}
        required
        maxLength={4_096}
      />
    </FormDialog>
  );
}

const labelOf = ({ name, phone, lid }: Contact): string => [name, phone === null ? lid : phoneText(phone)].filter(Boolean).join(' · ');

const addressOf = ({ phone, lid }: Contact): string => (phone === null ? (lid ?? '') : `+${phone}`);
