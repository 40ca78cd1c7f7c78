import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { Failure } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { numberText } from '../../words/formats.ts';
import { words } from './words.ts';

export function Settings({ ai }: { readonly ai: Schemas['AiReply'] }): JSX.Element {
  const t = words();
  const [isOn, persona] = [useSignal(ai.enabled), useSignal(ai.persona)];
  const [language, when] = [useSignal(ai.language), useSignal(ai.only_when)];
  const [handoff, perHour] = [useSignal(ai.handoff_keywords.join(', ')), useSignal(String(ai.max_per_chat_hour))];
  const isSaved = useSignal(false);
  const saving = useAct();
  const body = {
    enabled: isOn.value,
    persona: persona.value,
    language: language.value,
    only_when: when.value,
    handoff_keywords: handoff.value.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()])),
    max_per_chat_hour: Number(perHour.value),
  };
  const save = (): Promise<void> =>
    saving.run(async () => {
      isSaved.value = false;
      await call('changeAiReply', { body });
      isSaved.value = true;
    });
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h2>{t.settings}</h2>
      <p class="soft small">
        {t.quota(numberText(ai.quota.used), numberText(ai.quota.limit))} {!ai.engine.ready && t.notReady}
      </p>
      <label class="row">
        <input type="checkbox" checked={isOn.value} onChange={(event) => (isOn.value = event.currentTarget.checked)} />
        {t.enabled}
      </label>
      <div class="columns">
        <Choice
          label={t.when}
          value={when.value}
          options={(['always', 'outside_hours', 'unassigned'] as const).map((one) => [one, t.whens[one]] as const)}
          onValue={(value) => (when.value = value)}
        />
        <Choice
          label={t.language}
          value={language.value}
          options={(['auto', 'en', 'id'] as const).map((one) => [one, t.languages[one]] as const)}
          onValue={(value) => (language.value = value)}
        />
        <Field label={t.perHour} type="number" required value={perHour.value} onValue={(value) => (perHour.value = value)} />
        <Field
          label={t.handoff}
          hint={t.handoffHint}
          autocomplete="off"
          value={handoff.value}
          onValue={(value) => (handoff.value = value)}
        />
      </div>
      <Field label={t.persona} hint={t.personaHint} lines={2} value={persona.value} onValue={(value) => (persona.value = value)} />
      {saving.error.value && <Failure error={saving.error.value} onRetry={save} />}
      <div class="row">
        <button type="submit" class="button" disabled={saving.isBusy.value}>
          {common().save}
        </button>
        <span role="status" class="small soft">
          {isSaved.value ? t.saved : ''}
        </span>
      </div>
      <AsCode operation="changeAiReply" input={{ body }} />
    </form>
  );
}
