import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { MomentField } from '../../ui/moment-field.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { forecast, recipientsIn } from './plan.ts';
import type { Draft, StepProps } from './steps.ts';
import { words } from './words.ts';

/** When it begins, and what follows from the pace, the window and the quota. `isFixed`: to be read only. */
export function When({ draft, choices, onDraft, isFixed }: StepProps & { readonly isFixed: boolean }): JSX.Element {
  const t = words();
  const count = useCount(draft);
  const { usage } = choices;
  const { first, last } = forecast(Math.max(1, count ?? 1), draft.at ?? Date.now(), choices);
  const left = usage.messages.quota - usage.messages.used;
  return (
    <>
      {!isFixed && (
        <fieldset class="field">
          <legend>{t.steps.when}</legend>
          <div class="row">
            <label class="check">
              <input type="radio" name="when" checked={draft.at === null} onChange={() => onDraft({ at: null })} />
              {t.now}
            </label>
            <label class="check">
              <input type="radio" name="when" checked={draft.at !== null} onChange={() => onDraft({ at: Date.now() + 3_600_000 })} />
              {t.later}
            </label>
          </div>
        </fieldset>
      )}
      {!isFixed && draft.at !== null && <MomentField label={t.at} at={draft.at} onAt={(at) => onDraft({ at })} />}
      <h3>{t.summary}</h3>
      <dl class="facts">
        <div>
          <dt>{t.people}</dt>
          <dd class="figures">{count === null ? '…' : numberText(count)}</dd>
        </div>
        <div>
          <dt>{t.first}</dt>
          <dd>{first === null ? '…' : whenText(first)}</dd>
        </div>
        <div>
          <dt>{t.last}</dt>
          <dd>{last === null ? '…' : whenText(last)}</dd>
        </div>
        <div>
          <dt>{t.quota}</dt>
          <dd class="figures">{t.used(numberText(usage.messages.used), numberText(usage.messages.quota))}</dd>
        </div>
      </dl>
      {count !== null && count > left && <p class="notice warn small">{t.overQuota}</p>}
    </>
  );
}

/** How many would get it; null: not known yet. */
function useCount({ audience, lines, segmentId, tag }: Draft): number | null {
  const rules: Schemas['SegmentRules'] = { all: [{ field: 'tag', op: 'is', value: tag }] };
  const found = useResource(`${audience} ${segmentId} ${tag}`, async (signal) => {
    if (audience === 'typed') return null;
    const asked = audience === 'tag' ? rules : (await call('getSegment', { params: { id: segmentId } }, { signal })).rules;
    return (await call('previewSegment', { body: { rules: asked } }, { signal })).count;
  });
  if (audience === 'typed') return recipientsIn(lines).length;
  const load = found.load.value;
  return load.state === 'loaded' ? load.data : null;
}
