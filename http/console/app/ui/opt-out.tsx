import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { call } from '../api/client.ts';
import { consentWords } from '../words/consent.ts';
import { useAct } from './act.ts';
import { AsCode } from './as-code.tsx';
import { Confirm } from './dialog.tsx';
import { Icon } from './icon.tsx';
import { Failure } from './states.tsx';

interface OptOutProps {
  /** The number or hidden address that the API takes for this person. */
  readonly address: string;
  readonly testId: string;
  readonly onDone: () => void;
}

/** A button that opts a person out after a confirmation. */
export function OptOut({ address, testId, onDone }: OptOutProps): JSX.Element {
  const t = consentWords();
  const [isAsking, acting] = [useSignal(false), useAct()];
  const input = { params: { phone: address }, body: { status: 'opted_out' } } as const;
  const put = (): Promise<void> =>
    acting.run(async () => {
      await call('putConsent', input);
      isAsking.value = false;
      onDone();
    });
  return (
    <>
      <button
        type="button"
        class="button slim"
        aria-haspopup="dialog"
        data-testid={testId}
        onClick={() => {
          isAsking.value = true;
        }}
      >
        <Icon name="ban" small />
        {t.optOut}
      </button>
      <Confirm
        title={t.optOut}
        verb={t.optOut}
        isDangerous
        isOpen={isAsking.value}
        isBusy={acting.isBusy.value}
        onClose={() => {
          isAsking.value = false;
        }}
        onConfirm={put}
      >
        <p>{t.optOutAbout}</p>
        {acting.error.value && <Failure error={acting.error.value} />}
        <AsCode operation="putConsent" input={input} />
      </Confirm>
    </>
  );
}
