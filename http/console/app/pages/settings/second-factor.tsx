import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Field } from '../../ui/field.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { numberText } from '../../words/formats.ts';
import { words } from './words.ts';

type Status = Schemas['GetTwoFactorResponse'];

export function SecondFactor(): JSX.Element {
  const t = words();
  const status = useResource('second factor', (signal) => call('getTwoFactor', {}, { signal }));
  const codes = useSignal<readonly string[]>([]);
  return (
    <section class="card stack">
      <h3>{t.factor}</h3>
      <Loaded of={status}>
        {({ enabled, recovery_codes_left }) => (
          <>
            <p class="soft">{enabled ? t.factorOn(numberText(recovery_codes_left)) : t.factorOff}</p>
            <Turning isOn={enabled} status={status} onCodes={(made) => (codes.value = made)} />
          </>
        )}
      </Loaded>
      <div role="status">
        {codes.value.length > 0 && (
          <>
            <p>{t.recovery}</p>
            <p class="code breaks">{codes.value.join('  ')}</p>
          </>
        )}
      </div>
    </section>
  );
}

interface TurningProps {
  readonly isOn: boolean;
  readonly status: Resource<Status>;
  readonly onCodes: (codes: readonly string[]) => void;
}

function Turning({ isOn, status, onCodes }: TurningProps): JSX.Element {
  const t = words();
  const offered = useSignal<Schemas['SetUpTwoFactorResponse'] | null>(null);
  const code = useSignal('');
  const acting = useAct();
  const begin = (): Promise<void> =>
    acting.run(async () => {
      offered.value = await call('setUpTwoFactor', {});
    });
  const turn = (): Promise<void> =>
    acting.run(async () => {
      const body = { code: code.value.trim() };
      if (isOn) await call('disableTwoFactor', { body });
      else onCodes((await call('enableTwoFactor', { body })).recovery_codes);
      code.value = '';
      offered.value = null;
      status.reload();
    });
  const isAsked = isOn || offered.value !== null;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void (isAsked ? turn() : begin());
      }}
    >
      {offered.value && <Picture text={offered.value.otpauth_url} />}
      {offered.value && (
        <p>
          {t.secret} <code class="breaks">{offered.value.secret}</code> · <a href={offered.value.otpauth_url}>{t.link}</a>
        </p>
      )}
      {isAsked && (
        <Field label={t.code} required autocomplete="one-time-code" value={code.value} onValue={(value) => (code.value = value)} />
      )}
      {acting.error.value && <Failure error={acting.error.value} onRetry={isAsked ? turn : begin} />}
      <div class="row">
        <button type="submit" class="button" disabled={acting.isBusy.value}>
          {isOn ? t.disable : isAsked ? t.enable : t.setUp}
        </button>
      </div>
    </form>
  );
}

/** Drawn in the browser, so that the secret never leaves it. */
function Picture({ text }: { readonly text: string }): JSX.Element | null {
  const t = words();
  const dots = useSignal<{ readonly size: number; readonly path: string } | null>(null);
  useEffect(() => {
    void import('qrcode').then(
      ({ default: { create } }) => {
        const { size, data } = create(text).modules;
        const dark = Array.from(data, (bit, at) => (bit ? `M${at % size} ${Math.floor(at / size)}h1v1h-1z` : ''));
        dots.value = { size, path: dark.join('') };
      },
      () => {},
    );
  }, [text]);
  if (!dots.value) return null;
  const { size, path } = dots.value;
  return (
    <div class="qr-frame" data-testid="factor-qr">
      <svg viewBox={`-4 -4 ${size + 8} ${size + 8}`} role="img" aria-label={t.picture} shape-rendering="crispEdges">
        <path d={path} fill="#000" />
      </svg>
    </div>
  );
}
