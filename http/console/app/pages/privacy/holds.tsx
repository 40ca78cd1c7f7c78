import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { Confirm, FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { MomentField } from '../../ui/moment-field.tsx';
import { Failure } from '../../ui/states.tsx';
import { whenText } from '../../words/formats.ts';
import { words } from './words.ts';

type Asked = 'all' | 'person' | 'end all' | 'end person';

interface HoldsProps {
  /** The hold on the whole account. Holds on people are stored under a keyed hash and cannot be listed. */
  readonly hold: Schemas['Hold'] | null;
  readonly onChange: () => void;
}

export function Holds({ hold, onChange }: HoldsProps): JSX.Element {
  const t = words();
  const asked = useSignal<Asked | null>(null);
  const [phone, reason] = [useSignal(''), useSignal('')];
  const until = useSignal<number | null>(null);
  const isDone = useSignal(false);
  const acting = useAct();
  const close = (): void => {
    asked.value = null;
  };
  const open = (what: Asked): void => {
    isDone.value = false;
    asked.value = what;
  };
  const act = async (): Promise<void> => {
    const body = { reason: reason.value, until: until.value ?? 0 };
    const params = { phone: phone.value.trim() };
    if (asked.value === 'all') await call('holdEverything', { body });
    if (asked.value === 'person') await call('holdPerson', { params, body });
    if (asked.value === 'end person') await call('endHold', { params });
    if (asked.value === 'end all') await call('endHoldOfEverything', {});
    close();
    isDone.value = true;
    onChange();
  };
  const run = (): Promise<void> => acting.run(act);
  const opener = (what: Asked, text: string): JSX.Element => (
    <button type="button" class="button" aria-haspopup="dialog" onClick={() => open(what)}>
      {text}
    </button>
  );
  const putsOne = asked.value === 'all' || asked.value === 'person';
  const ofPerson = asked.value === 'person' || asked.value === 'end person';
  const title = asked.value === 'all' ? t.holdAll : asked.value === 'person' ? t.holdPerson : t.endPerson;
  return (
    <section class="card stack">
      <h2>{t.holds}</h2>
      <p class="soft">{t.holdsAbout}</p>
      <p class="breaks">{hold ? t.held(whenText(hold.until), hold.reason) : t.notHeld}</p>
      <div class="row">
        {hold ? opener('end all', t.endAll) : opener('all', t.holdAll)}
        {opener('person', t.holdPerson)}
        {opener('end person', t.endPerson)}
        <span role="status" class="small soft">
          {isDone.value ? t.done : ''}
        </span>
      </div>
      <FormDialog title={title} isOpen={putsOne || asked.value === 'end person'} onClose={close} save={act}>
        {ofPerson && <Phone value={phone.value} onValue={(value) => (phone.value = value)} />}
        {putsOne && (
          <>
            <Field
              label={t.reason}
              required
              maxLength={500}
              autocomplete="off"
              value={reason.value}
              onValue={(value) => (reason.value = value)}
            />
            <MomentField label={t.until} at={until.value} onAt={(at) => (until.value = at)} />
          </>
        )}
      </FormDialog>
      <Confirm
        title={t.endAll}
        verb={t.endAll}
        isDangerous
        isOpen={asked.value === 'end all'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={run}
      >
        <p>{t.endAllAsk}</p>
        {acting.error.value && <Failure error={acting.error.value} onRetry={run} />}
      </Confirm>
    </section>
  );
}

interface PhoneProps {
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly hint?: string;
}

export const Phone = ({ value, onValue, hint }: PhoneProps): JSX.Element => (
  <Field label={words().phone} type="tel" required={hint === undefined} autocomplete="off" value={value} onValue={onValue} hint={hint} />
);
