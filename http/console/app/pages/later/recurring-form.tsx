import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { language } from '../../state/preferences.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Choice } from '../../ui/choice.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { useSendKey } from '../../ui/send-key.ts';
import { changesOf, clockOf, linesOf, type Recurring, type ScheduleType, timeOf, weekdayName } from './schedule.ts';
import { words } from './words.ts';

const TYPES: readonly ScheduleType[] = ['daily', 'weekly', 'monthly', 'interval'];
const WEEK = [1, 2, 3, 4, 5, 6, 0];
const AT_NINE = { hour: 9, minute: 0 };

interface RecurringFormProps {
  readonly sessionId: string;
  readonly message: Recurring | null;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function RecurringForm({ sessionId, message, isOpen, onClose, onSaved }: RecurringFormProps): JSX.Element {
  const t = words();
  const [name, text] = [useSignal(message?.name ?? ''), useSignal(message?.message ?? '')];
  const [targets, zone] = [useSignal(message?.targets.join('\n') ?? ''), useSignal(message?.timezone ?? '')];
  const config = message?.schedule_config;
  const type = useSignal<ScheduleType>(message?.schedule_type ?? 'weekly');
  const [day, days] = [useSignal(config?.day ?? 1), useSignal(String(config?.every_days ?? 2))];
  const time = useSignal(timeOf(config ?? AT_NINE));
  const key = useSendKey();
  const hasDay = type.value === 'weekly' || type.value === 'monthly';
  const body = {
    name: name.value,
    targets: [...linesOf(targets.value)],
    message: text.value === '' ? null : text.value,
    schedule_type: type.value,
    schedule_config: {
      ...clockOf(time.value),
      ...(hasDay && { day: day.value }),
      ...(type.value === 'interval' && { every_days: Number(days.value) }),
    },
    timezone: zone.value === '' ? null : zone.value,
  };
  const patch = message ? changesOf(message, body) : {};
  const save = async (): Promise<void> => {
    if (message) await call('changeRecurring', { params: { sessionId, id: message.id }, body: patch });
    else {
      await call('createRecurring', { params: { sessionId }, body }, { key: key.of(body) });
      key.done();
      for (const field of [name, text, targets]) field.value = '';
    }
    onClose();
    onSaved();
  };
  const chooseType = (chosen: ScheduleType): void => {
    type.value = chosen;
    if (chosen === 'weekly' && day.value > 6) day.value = 1;
    if (chosen === 'monthly' && day.value === 0) day.value = 1;
  };
  return (
    <FormDialog
      title={message ? t.editOf(message.name) : t.newRecurring}
      isOpen={isOpen}
      onClose={onClose}
      save={save}
      code={
        message ? (
          <AsCode operation="changeRecurring" input={{ params: { sessionId, id: message.id }, body: patch }} />
        ) : (
          <AsCode operation="createRecurring" input={{ params: { sessionId }, body }} />
        )
      }
    >
      <Field label={t.name} required maxLength={100} autocomplete="off" value={name.value} onValue={(value) => (name.value = value)} />
      <Field label={t.targets} hint={t.targetsHint} required lines={3} value={targets.value} onValue={(value) => (targets.value = value)} />
      <Field label={t.text} required={!message?.media_r2_key} lines={4} value={text.value} onValue={(value) => (text.value = value)} />
      <Choice label={t.how} value={type.value} options={TYPES.map((one) => [one, t.types[one]] as const)} onValue={chooseType} />
      {type.value === 'weekly' && (
        <Choice
          label={t.weekday}
          value={String(day.value)}
          options={WEEK.map((one) => [String(one), weekdayName(one, language.value)] as const)}
          onValue={(value) => (day.value = Number(value))}
        />
      )}
      {type.value === 'monthly' && (
        <Field
          label={t.monthDay}
          hint={t.monthDayHint}
          type="number"
          required
          value={String(day.value)}
          onValue={(value) => (day.value = Number(value))}
        />
      )}
      {type.value === 'interval' && (
        <Field label={t.everyDays} type="number" required value={days.value} onValue={(value) => (days.value = value)} />
      )}
      <Field label={t.time} type="time" required value={time.value} onValue={(value) => (time.value = value)} />
      <Field
        label={t.zone}
        hint={t.zoneHint}
        autocomplete="off"
        options={Intl.supportedValuesOf('timeZone')}
        value={zone.value}
        onValue={(value) => (zone.value = value)}
      />
    </FormDialog>
  );
}
