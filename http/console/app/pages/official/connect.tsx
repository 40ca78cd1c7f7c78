import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../../pages.ts';
import { call } from '../../api/client.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { words } from './words.ts';

interface ConnectProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const EMPTY = { name: '', phone_number_id: '', waba_id: '', app_id: '', app_secret: '', access_token: '', pin: '' };

export function ConnectOfficial({ isOpen, onClose }: ConnectProps): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const given = useSignal(EMPTY);
  const field = (key: keyof typeof EMPTY, label: string, more: object = { required: true }): JSX.Element => (
    <Field
      label={label}
      autocomplete="off"
      value={given.value[key]}
      onValue={(value) => (given.value = { ...given.value, [key]: value.trim() })}
      testId={`official-${key}`}
      {...more}
    />
  );
  const save = async (): Promise<void> => {
    const { name, pin, ...keys } = given.value;
    const body = { ...(name !== '' && { name }), official: { ...keys, ...(pin !== '' && { pin }) } };
    const { id, verify_token = null } = await call('createSession', { body });
    tellVerifyToken(id, verify_token);
    given.value = EMPTY;
    onClose();
    route(`${BASE}/devices/${id}`);
    await call('connectSession', { params: { sessionId: id } });
  };
  return (
    <FormDialog title={t.connect} verb={t.connectVerb} isOpen={isOpen} onClose={onClose} save={save}>
      <ol class="steps small">
        {t.connectSteps.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ol>
      {field('name', t.name, { hint: t.optional, maxLength: 64 })}
      {field('phone_number_id', t.phoneNumberId, { required: true, inputMode: 'numeric' })}
      {field('waba_id', t.wabaId, { required: true, inputMode: 'numeric' })}
      {field('app_id', t.appId, { required: true, inputMode: 'numeric' })}
      {field('app_secret', t.appSecret, { required: true, type: 'password' })}
      {field('access_token', t.accessToken, { required: true, type: 'password' })}
      {field('pin', t.pin, { hint: t.pinHint, inputMode: 'numeric', maxLength: 6 })}
    </FormDialog>
  );
}

/** The API shows a verify token only once, so the page keeps the token until the page is closed. */
const verifyTokens = new Map<string, string>();

export const verifyTokenOf = (sessionId: string): string | null => verifyTokens.get(sessionId) ?? null;

export function tellVerifyToken(sessionId: string, token: string | null): void {
  if (token !== null) verifyTokens.set(sessionId, token);
}
