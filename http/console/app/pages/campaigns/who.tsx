import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { Field } from '../../ui/field.tsx';
import { recipientsIn } from './plan.ts';
import type { StepProps } from './steps.ts';
import { words } from './words.ts';

const AUDIENCES = ['typed', 'segment', 'tag'] as const;

export function Who({ draft, choices, onDraft }: StepProps): JSX.Element {
  const t = words();
  const id = useId();
  const names = { typed: t.typed, segment: t.bySegment, tag: t.byTag };
  const offered = AUDIENCES.filter((one) => one === 'typed' || (one === 'segment' ? choices.segments : choices.tags).length > 0);
  return (
    <>
      <Field
        label={t.name}
        hint={t.nameHint}
        value={draft.name}
        onValue={(name) => onDraft({ name })}
        autocomplete="off"
        required
        maxLength={100}
        testId="campaign-name"
      />
      <div class="field">
        <label for={`${id}-device`}>{t.device}</label>
        <select
          id={`${id}-device`}
          required
          data-testid="campaign-device"
          value={draft.sessionId}
          onChange={(event) => onDraft({ sessionId: event.currentTarget.value })}
        >
          <option value="" />
          {choices.devices.map((one) => (
            <option key={one.id} value={one.id}>
              {nameOfDevice(one)}
            </option>
          ))}
        </select>
        {choices.devices.length === 0 && <p class="fault">{t.noDevice}</p>}
      </div>
      {offered.length > 1 && (
        <fieldset class="field">
          <legend>{t.audience}</legend>
          <div class="row">
            {offered.map((one) => (
              <label key={one} class="check">
                <input type="radio" name="audience" checked={draft.audience === one} onChange={() => onDraft({ audience: one })} />
                {names[one]}
              </label>
            ))}
          </div>
        </fieldset>
      )}
      {draft.audience === 'typed' && (
        <div class="field">
          <label for={`${id}-lines`}>{t.recipients}</label>
          <textarea
            id={`${id}-lines`}
            rows={6}
            required
            data-testid="campaign-recipients"
            aria-describedby={`${id}-hint`}
            placeholder="+6281234567890, Anna"
            value={draft.lines}
            onInput={(event) => onDraft({ lines: event.currentTarget.value })}
          />
          <p id={`${id}-hint`} class="hint">
            {t.recipientsHint} {t.lines(recipientsIn(draft.lines).length)}
          </p>
        </div>
      )}
      {draft.audience === 'segment' && (
        <div class="field">
          <label for={`${id}-segment`}>{t.segment}</label>
          <select
            id={`${id}-segment`}
            required
            value={draft.segmentId}
            onChange={(event) => onDraft({ segmentId: event.currentTarget.value })}
          >
            <option value="" />
            {choices.segments.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </select>
        </div>
      )}
      {draft.audience === 'tag' && (
        <div class="field">
          <label for={`${id}-tag`}>{t.tag}</label>
          <select id={`${id}-tag`} required value={draft.tag} onChange={(event) => onDraft({ tag: event.currentTarget.value })}>
            <option value="" />
            {choices.tags.map((one) => (
              <option key={one.id} value={one.name}>
                {one.name}
              </option>
            ))}
          </select>
        </div>
      )}
    </>
  );
}
