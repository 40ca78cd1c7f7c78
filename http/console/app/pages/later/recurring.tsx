import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { language } from '../../state/preferences.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { EditableRow } from '../../ui/editable-row.tsx';
import { Listing } from '../../ui/listing.tsx';
import { useNews } from '../../ui/news.ts';
import { Opener } from '../../ui/opener.tsx';
import { Pager, placeIn } from '../../ui/pager.tsx';
import { useSendKey } from '../../ui/send-key.ts';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { whenText } from '../../words/formats.ts';
import { RecurringForm } from './recurring-form.tsx';
import { type Recurring, scheduleText } from './schedule.ts';
import { words } from './words.ts';

interface RecurringMessagesProps {
  readonly sessionId: string;
  readonly query: Readonly<Record<string, string>>;
  readonly children: ComponentChildren;
}

export function RecurringMessages({ sessionId, query, children }: RecurringMessagesProps): JSX.Element {
  const t = words();
  const place = placeIn(query);
  const list = useResource(JSON.stringify(place), (signal) => call('listRecurring', { params: { sessionId }, query: place }, { signal }));
  useNews(list, ({ type }) => type === 'recurring.executed');
  return (
    <>
      <div class="toolbar">
        {children}
        <Opener label={t.newRecurring}>
          {(isOpen, close) => <RecurringForm sessionId={sessionId} message={null} isOpen={isOpen} onClose={close} onSaved={list.reload} />}
        </Opener>
      </div>
      <Loaded of={list}>
        {({ recurring, ...next }) => (
          <>
            <Listing of={recurring} empty={<Empty title={t.noneRecurring} about={t.noneRecurringAbout} />}>
              {(one) => <Row key={one.id} message={one} onChange={list.reload} />}
            </Listing>
            <Pager path="/later" query={{ part: 'recurring', session_id: sessionId }} place={place} next={next} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface RowProps {
  readonly message: Recurring;
  readonly onChange: () => void;
}

function Row({ message, onChange }: RowProps): JSX.Element {
  const t = words();
  const { id, session_id: sessionId, name, targets, is_active: isActive, next_run_at, last_run_at } = message;
  const acting = useAct();
  const params = { sessionId, id };
  const toggle = (): Promise<void> =>
    acting.run(async () => {
      await call('changeRecurring', { params, body: { is_active: !isActive } });
      onChange();
    });
  const times = [next_run_at !== null && t.next(whenText(next_run_at)), last_run_at !== null && t.last(whenText(last_run_at))];
  return (
    <EditableRow
      testId="recurring-row"
      edit={{
        label: t.editOf(name),
        form: (isOpen, close) => (
          <RecurringForm sessionId={sessionId} message={message} isOpen={isOpen} onClose={close} onSaved={onChange} />
        ),
      }}
      remove={{ label: t.removeOf(name), ask: t.removeRecurringAsk, run: () => call('deleteRecurring', { params }) }}
      act={acting}
      onChange={onChange}
    >
      <div class="grow">
        <strong class="breaks">{name}</strong>
        <p class="small breaks">{message.message ?? t.contents[message.message_type]}</p>
        <p class="soft small breaks">
          {scheduleText(message.schedule_type, message.schedule_config, language.value, t)} ({message.timezone}), {t.people(targets.length)}
        </p>
        <p class="soft small">{times.filter((one) => one !== false).join(' · ')}</p>
      </div>
      {!isActive && <Badge tone="warn" text={t.paused} />}
      <RunNow message={message} onDone={onChange} />
      <button
        type="button"
        class="button slim"
        aria-label={isActive ? t.pauseOf(name) : t.resumeOf(name)}
        disabled={acting.isBusy.value}
        onClick={toggle}
      >
        {isActive ? t.pause : t.resume}
      </button>
    </EditableRow>
  );
}

function RunNow({ message, onDone }: { readonly message: Recurring; readonly onDone: () => void }): JSX.Element {
  const t = words();
  const { id, session_id: sessionId, name, targets } = message;
  const params = { sessionId, id };
  const [running, key] = [useAct(), useSendKey()];
  const [isAsking, isOnItsWay] = [useSignal(false), useSignal(false)];
  const run = (): Promise<void> =>
    running.run(async () => {
      await call('runRecurring', { params }, { key: key.of(params) });
      key.done();
      isAsking.value = false;
      isOnItsWay.value = true;
      onDone();
    });
  return (
    <>
      <span role="status" class="small soft">
        {isOnItsWay.value && t.running}
      </span>
      <button
        type="button"
        class="button slim"
        aria-haspopup="dialog"
        aria-label={t.runNowOf(name)}
        onClick={() => (isAsking.value = true)}
      >
        {t.runNow}
      </button>
      <Confirm
        title={t.runNowOf(name)}
        verb={t.runNow}
        isOpen={isAsking.value}
        isBusy={running.isBusy.value}
        onClose={() => (isAsking.value = false)}
        onConfirm={run}
      >
        <p>{t.runAsk(targets.length)}</p>
        <p class="soft">{t.runAskMore}</p>
        {running.error.value && <Failure error={running.error.value} />}
        <AsCode operation="runRecurring" input={{ params }} />
      </Confirm>
    </>
  );
}
