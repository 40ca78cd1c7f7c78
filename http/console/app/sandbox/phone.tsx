import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { call } from '../api/client.ts';
import { digitsOf, isNumber, messagesOn, type PhoneMessage, sandboxNumber, scan, shownCode, showPhone, write } from '../state/sandbox.ts';
import { person } from '../state/session.ts';
import { useAct } from '../ui/act.ts';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Failure } from '../ui/states.tsx';
import { wordsOf } from '../words/words.ts';
import { togglePhone } from './shown.ts';

const words = wordsOf({
  en: {
    title: 'Test phone',
    hide: 'Hide the test phone',
    about: 'A simulated phone. It receives codes, scans the QR code and replies.',
    number: 'Its number',
    scan: 'Scan the QR code',
    nothing: 'No messages on this phone yet.',
    say: 'Write to the business',
    send: 'Send',
    noDevice: 'No device is connected for this phone to write to.',
    isOwn: 'This number is linked here, so it belongs to the business. Enter a customer’s number to write as that customer.',
  },
  id: {
    title: 'Ponsel uji',
    hide: 'Sembunyikan ponsel uji',
    about: 'Ponsel simulasi. Ponsel ini menerima kode, memindai kode QR, dan membalas.',
    number: 'Nomornya',
    scan: 'Pindai kode QR',
    nothing: 'Belum ada pesan di ponsel ini.',
    say: 'Tulis kepada bisnis',
    send: 'Kirim',
    noDevice: 'Tidak ada perangkat terhubung yang dapat dikirimi ponsel ini.',
    isOwn: 'Nomor ini tertaut di sini, jadi milik bisnis. Ketik nomor pelanggan untuk menulis sebagai pelanggan itu.',
  },
});

const EVERY_MS = 1_000;

export function SandboxPhone(): JSX.Element {
  const t = words();
  const messages = useMessages();
  const acting = useAct();
  const said = useSignal('');
  const number = sandboxNumber.value;
  const { path } = useLocation();
  const send = (): Promise<void> =>
    acting.run(async () => {
      const own = await ownNumbers();
      if (own.includes(digitsOf(number))) throw new Error(t.isOwn);
      await write(number, receiverFor(messages.value, own, t.noDevice), said.value);
      said.value = '';
    });
  return (
    <aside class="phone" aria-label={t.title} data-testid="sandbox-phone">
      <div class="phone-body">
        <div class="phone-bar">
          {t.title}
          <button type="button" class="button plain slim icon-only" title={t.hide} onClick={() => togglePhone(path)}>
            <Icon name="minus" small />
            <span class="only-heard">{t.hide}</span>
          </button>
        </div>
        <div class="form">
          <p class="small soft">{t.about}</p>
          <Field label={t.number} type="tel" autocomplete="off" value={number} onValue={showPhone} testId="sandbox-number" />
          {shownCode.value !== null && (
            <button
              type="button"
              class="button first"
              data-testid="sandbox-scan"
              disabled={!isNumber(number) || acting.isBusy.value}
              onClick={() => acting.run(() => scan(number, shownCode.value ?? ''))}
            >
              {t.scan}
            </button>
          )}
          {acting.error.value && <Failure error={acting.error.value} />}
        </div>
        <Messages list={messages.value} number={number} nothing={t.nothing} />
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            if (said.value !== '') void send();
          }}
        >
          <Field label={t.say} autocomplete="off" value={said.value} onValue={(value) => (said.value = value)} testId="sandbox-say" />
          <button type="submit" class="button" data-testid="sandbox-send" disabled={!isNumber(number) || acting.isBusy.value}>
            {t.send}
          </button>
        </form>
      </div>
    </aside>
  );
}

interface MessagesProps {
  readonly list: readonly PhoneMessage[];
  readonly number: string;
  readonly nothing: string;
}

function Messages({ list, nothing }: MessagesProps): JSX.Element {
  if (list.length === 0) return <p class="small soft">{nothing}</p>;
  return (
    <div class="phone-messages" role="log" aria-label={words().title} tabIndex={0}>
      {list.map((one) => (
        <p key={one.id} class="bubble">
          {one.body ?? `[${one.type}]`}
        </p>
      ))}
    </div>
  );
}

function useMessages() {
  const messages = useSignal<readonly PhoneMessage[]>([]);
  const number = sandboxNumber.value;
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    messages.value = [];
    const look = async (): Promise<void> => {
      const found = isNumber(number) && !document.hidden ? await messagesOn(number).catch(() => null) : null;
      if (isOver) return;
      if (found) messages.value = found;
      timer = setTimeout(look, EVERY_MS);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [number]);
  return messages;
}

async function ownNumbers(): Promise<readonly string[]> {
  const { sessions } = person.value ? await call('listSessions', {}) : { sessions: [] };
  return sessions.flatMap(({ status, phone_number }) => (status === 'connected' && phone_number !== null ? [phone_number] : []));
}

function receiverFor(messages: readonly PhoneMessage[], own: readonly string[], otherwise: string): string {
  const known = messages.map(({ from }) => from.replace(/@.*$/, '')).find((from) => own.includes(from));
  const to = known ?? own[0];
  if (to === undefined) throw new Error(otherwise);
  return to;
}
