import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { words } from './words.ts';

export function Ask(): JSX.Element {
  const t = words();
  const question = useSignal('');
  const shown = useSignal<Schemas['AiAnswer'] | null>(null);
  const asking = useAct();
  const input = { body: { question: question.value } };
  const ask = (): Promise<void> =>
    asking.run(async () => {
      shown.value = null;
      shown.value = await call('askAi', input);
    });
  const { value } = shown;
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <h2>{t.tryIt}</h2>
      <Field label={t.question} required autocomplete="off" value={question.value} onValue={(text) => (question.value = text)} />
      <div class="row">
        <button type="submit" class="button" disabled={asking.isBusy.value}>
          {t.ask}
        </button>
      </div>
      {asking.error.value && <Failure error={asking.error.value} onRetry={ask} />}
      <div role="status" class="stack">
        {value && (value.answer === null ? <p>{t.nothing(value.reason)}</p> : <p class="bubble">{value.answer}</p>)}
        {value && value.sources.length > 0 && (
          <ul class="small soft">
            {value.sources.map(({ id, name, score }) => (
              <li key={id + score} class="breaks">
                {t.sources}: {name} ({score.toFixed(2)} / {value.threshold.toFixed(2)})
              </li>
            ))}
          </ul>
        )}
      </div>
      <AsCode operation="askAi" input={input} />
    </form>
  );
}
