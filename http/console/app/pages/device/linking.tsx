import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call, callForBytes } from '../../api/client.ts';
import { onLiveEvent } from '../../state/live.ts';
import { shownCode } from '../../state/sandbox.ts';
import { useAct } from '../../ui/act.ts';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { PasskeyStep } from './passkey-step.tsx';
import { words } from './words.ts';

type Session = Schemas['Session'];

interface LinkingProps {
  readonly session: Session;
  readonly onChange: () => void;
}

export function Linking({ session, onChange }: LinkingProps): JSX.Element {
  const t = words();
  const { id: sessionId, status, phone_number, pairing } = session;
  const starting = useAct();
  const begun = useSignal(false);
  const start = (): Promise<void> =>
    starting.run(async () => {
      begun.value = true;
      await call('connectSession', { params: { sessionId } });
      onChange();
    });
  // Starts linking a new device once automatically. If the QR code expires, the user starts it again.
  useEffect(() => {
    if (status === 'pending' && phone_number === null && !begun.peek()) void start();
  }, [status]);
  const isAsking = pairing?.step === 'passkey' || pairing?.step === 'passkey_confirm';
  const picture = usePicture(sessionId, status);
  return (
    <section class="card stack">
      <h2>{t.link}</h2>
      {isAsking ? (
        <PasskeyStep sessionId={sessionId} step={pairing.step} onChange={onChange} />
      ) : (
        <div class="link-box">
          <div class="qr-frame">
            {picture !== null ? <img data-testid="link-qr" src={picture} alt={t.picture} /> : <p class="small">{t.preparing}</p>}
          </div>
          <div class="stack">
            <ol class="steps">
              {t.steps.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ol>
            {starting.error.value && <Failure error={starting.error.value} onRetry={start} />}
            {status !== 'qr_ready' && (
              <div class="row">
                <button type="button" class="button" disabled={starting.isBusy.value} onClick={start}>
                  {t.startAgain}
                </button>
              </div>
            )}
            <PairingCode sessionId={sessionId} />
          </div>
        </div>
      )}
    </section>
  );
}

function usePicture(sessionId: string, status: Session['status']): string | null {
  const picture = useSignal<string | null>(null);
  const round = useSignal(0);
  const again = (): void => {
    round.value += 1;
  };
  useEffect(() => onLiveEvent(({ type, session_id }) => type === 'qr.generated' && session_id === sessionId && again()), [sessionId]);
  const turn = round.value;
  useEffect(() => {
    if (status !== 'qr_ready') {
      show(picture, null);
      shownCode.value = null;
      return;
    }
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = async (): Promise<void> => {
      const { qr, expires_at } = await call('getQr', { params: { sessionId } }, { signal: controller.signal });
      const bytes = await callForBytes('getQr', { params: { sessionId }, query: { format: 'png' } }, { signal: controller.signal });
      if (controller.signal.aborted) return;
      show(picture, URL.createObjectURL(bytes));
      shownCode.value = qr;
      // A `qr.generated` event usually arrives before this timer, which covers a lost connection.
      timer = setTimeout(again, Math.max(1_000, expires_at - Date.now() + 500));
    };
    // Between two codes there is no image, so the request fails and is retried.
    draw().catch(() => {
      timer = setTimeout(again, 1_000);
    });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [sessionId, status, turn]);
  useEffect(
    () => () => {
      show(picture, null);
      shownCode.value = null;
    },
    [],
  );
  return picture.value;
}

/** Releases the previous image, because the browser would otherwise keep it in memory. */
function show(picture: { value: string | null; peek(): string | null }, next: string | null): void {
  const before = picture.peek();
  if (before !== null) URL.revokeObjectURL(before);
  picture.value = next;
}

function PairingCode({ sessionId }: { readonly sessionId: string }): JSX.Element {
  const t = words();
  const phone = useSignal('');
  const code = useSignal<string | null>(null);
  const asking = useAct();
  const ask = (): Promise<void> =>
    asking.run(async () => {
      code.value = (await call('requestPairingCode', { params: { sessionId }, body: { phone: phone.value } })).code;
    });
  return (
    <details>
      <summary>{t.noCamera}</summary>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <Field
          label={t.pairingPhone}
          hint={t.pairingHint}
          type="tel"
          autocomplete="tel"
          required
          value={phone.value}
          onValue={(value) => (phone.value = value)}
          testId="pairing-phone"
        />
        {asking.error.value && <Failure error={asking.error.value} onRetry={ask} />}
        <button type="submit" class="button" data-testid="pairing-submit" disabled={asking.isBusy.value}>
          {t.pairingSubmit}
        </button>
        <div role="status">
          {code.value !== null && (
            <>
              <p>{t.pairingCode}</p>
              <p class="pairing-code" data-testid="pairing-code">
                {code.value}
              </p>
            </>
          )}
        </div>
      </form>
    </details>
  );
}
