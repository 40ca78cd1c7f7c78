import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { person, stepUp } from '../state/session.ts';
import { isCodeAsked, settleCode, timesAsked } from '../state/step-up.ts';
import { common } from '../words/common.ts';
import { FormDialog } from './dialog.tsx';
import { Field } from './field.tsx';

export function StepUp(): JSX.Element {
  const t = common();
  const code = useSignal('');
  const isOpen = isCodeAsked();
  const isSignedIn = person.value !== null;
  // A person who signs out in another tab can no longer enter a code, so the dialog is closed.
  useEffect(() => {
    if (!isSignedIn) settleCode(false);
  }, [isSignedIn]);
  const close = (): void => {
    code.value = '';
    settleCode(false);
  };
  const prove = async (): Promise<void> => {
    await stepUp(code.value.trim());
    code.value = '';
    settleCode(true);
  };
  return (
    <FormDialog
      // The key is new each time, so that an earlier wrong code is cleared.
      key={timesAsked.value}
      title={t.stepUpTitle}
      verb={t.goOn}
      isOpen={isOpen}
      isReady={code.value !== ''}
      onClose={close}
      save={prove}
    >
      <Field
        label={t.stepUp}
        hint={t.stepUpHint}
        autocomplete="one-time-code"
        testId="step-up-code"
        value={code.value}
        onValue={(value) => (code.value = value)}
      />
    </FormDialog>
  );
}
