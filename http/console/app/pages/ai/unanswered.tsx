import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Confirm, FormDialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { numberText, whenText } from '../../words/formats.ts';
import { words } from './words.ts';

export function Unanswered({ onAnswered }: { readonly onAnswered: () => void }): JSX.Element {
  const t = words();
  const questions = useResource('unanswered', (signal) => call('listUnanswered', {}, { signal }));
  const answered = (): void => {
    questions.reload();
    onAnswered();
  };
  return (
    <section class="stack" aria-label={t.unanswered}>
      <h2>{t.unanswered}</h2>
      <Loaded of={questions}>
        {({ unanswered }) => (
          <Listing of={unanswered} empty={<p class="soft">{t.noUnanswered}</p>}>
            {(one) => <Row key={one.id} asked={one} onChange={answered} />}
          </Listing>
        )}
      </Loaded>
    </section>
  );
}

function Row({ asked, onChange }: { readonly asked: Schemas['UnansweredQuestion']; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, question, asked: times, last_at } = asked;
  const open = useSignal<'answer' | 'remove' | null>(null);
  const [answer, isSent] = [useSignal(''), useSignal(false)];
  const acting = useAct();
  const close = (): void => {
    open.value = null;
  };
  const input = { params: { id }, body: { answer: answer.value, send: isSent.value } };
  const save = async (): Promise<void> => {
    await call('answerUnanswered', input);
    close();
    onChange();
  };
  const remove = (): Promise<void> =>
    acting.run(async () => {
      await call('deleteUnanswered', { params: { id } }).finally(close);
      onChange();
    });
  return (
    <li>
      <div class="line">
        <div class="grow">
          <strong class="breaks">{question}</strong>
          <p class="soft small">{t.asked(numberText(times), whenText(last_at))}</p>
        </div>
        <button
          type="button"
          class="button slim"
          aria-haspopup="dialog"
          aria-label={t.answerOf(question)}
          onClick={() => (open.value = 'answer')}
        >
          {t.answerIt}
        </button>
        <button
          type="button"
          class="button slim"
          aria-haspopup="dialog"
          aria-label={t.removeOf(question)}
          onClick={() => (open.value = 'remove')}
        >
          {common().remove}
        </button>
      </div>
      {acting.error.value && <Failure error={acting.error.value} />}
      <FormDialog
        title={t.answerOf(question)}
        isOpen={open.value === 'answer'}
        onClose={close}
        save={save}
        code={<AsCode operation="answerUnanswered" input={input} />}
      >
        <Field label={t.answer} required lines={4} value={answer.value} onValue={(text) => (answer.value = text)} />
        <label class="row">
          <input type="checkbox" checked={isSent.value} onChange={(event) => (isSent.value = event.currentTarget.checked)} />
          {t.send}
        </label>
      </FormDialog>
      <Confirm
        title={t.removeOf(question)}
        verb={common().remove}
        isDangerous
        isOpen={open.value === 'remove'}
        isBusy={acting.isBusy.value}
        onClose={close}
        onConfirm={remove}
      >
        <p>{t.forgetAsk}</p>
      </Confirm>
    </li>
  );
}
