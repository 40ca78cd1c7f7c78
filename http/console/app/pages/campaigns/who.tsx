import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { Field } from '../../ui/field.tsx';
import { numberText } from '../../words/formats.ts';
import { AUDIENCES, type Draft, previewIn, type StepProps } from './steps.ts';
import { words } from './words.ts';

export function Who(props: StepProps): JSX.Element {
  const { draft, choices, onDraft } = props;
  const t = words();
  const id = useId();
  const offered = AUDIENCES.filter(
    (one) => !(one === 'segment' && choices.segments.length === 0) && !(one === 'tags' && choices.tags.length === 0),
  );
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
      <fieldset class="field" data-testid="campaign-audience">
        <legend>{t.audience}</legend>
        <div class="row">
          {offered.map((one) => (
            <label key={one} class="check">
              <input
                type="radio"
                name="audience"
                value={one}
                checked={draft.audience === one}
                onChange={() => onDraft({ audience: one, ...(one === 'file' && { lines: '' }) })}
              />
              {t.audiences[one]}
            </label>
          ))}
        </div>
      </fieldset>
      {draft.audience === 'paste' && (
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
            {t.recipientsHint}
          </p>
        </div>
      )}
      {draft.audience === 'file' && (
        <div class="field">
          <label for={`${id}-file`}>{t.file}</label>
          <input
            id={`${id}-file`}
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            required
            data-testid="campaign-file"
            aria-describedby={`${id}-file-hint`}
            onChange={async (event) => onDraft({ lines: (await event.currentTarget.files?.[0]?.text()) ?? '' })}
          />
          <p id={`${id}-file-hint`} class="hint">
            {t.recipientsHint}
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
      {draft.audience === 'tags' && <Tags label={t.tags} tags={choices.tags} chosen={draft.tags} onChosen={(tags) => onDraft({ tags })} />}
      {isNarrowable(draft) && choices.tags.length > 0 && (
        <Tags label={t.without} tags={choices.tags} chosen={draft.without} onChosen={(without) => onDraft({ without })} />
      )}
      <div class="field">
        <label for={`${id}-quiet`}>{t.quiet}</label>
        <select
          id={`${id}-quiet`}
          value={draft.quietHours ?? ''}
          onChange={({ currentTarget: { value } }) => onDraft({ quietHours: value === '' ? null : Number(value) })}
        >
          <option value="">{t.quietNever}</option>
          {QUIET_DAYS.map((days) => (
            <option key={days} value={days * 24}>
              {t.quietDays(days)}
            </option>
          ))}
        </select>
      </div>
      <Reach {...props} />
    </>
  );
}

const QUIET_DAYS = [1, 3, 7, 30];

/** Tags narrow an audience of contacts, not a list. */
const isNarrowable = ({ audience }: Draft): boolean => audience === 'all' || audience === 'tags' || audience === 'segment';

interface TagsProps {
  readonly label: string;
  readonly tags: StepProps['choices']['tags'];
  readonly chosen: readonly string[];
  readonly onChosen: (names: readonly string[]) => void;
}

const Tags = ({ label, tags, chosen, onChosen }: TagsProps): JSX.Element => (
  <fieldset class="field">
    <legend>{label}</legend>
    <div class="row">
      {tags.map(({ id, name }) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget: { checked } }) => onChosen(checked ? [...chosen, name] : chosen.filter((one) => one !== name))}
          />
          <bdi>{name}</bdi>
        </label>
      ))}
    </div>
  </fieldset>
);

/** How many would get it, and who is left out and why. */
function Reach(props: StepProps): JSX.Element {
  const t = words();
  const preview = previewIn(props);
  const { state } = props.preview;
  return (
    <section class="notice" aria-label={t.people}>
      <div class="stack-small">
        <p data-testid="campaign-count" aria-live="polite">
          {preview ? t.reach(numberText(preview.recipients), preview.recipients) : state === 'loading' ? t.counting : t.nobodyYet}
        </p>
        {preview && (
          <ul class="small">
            {SKIPPED.filter((reason) => (preview.skipped[reason] ?? 0) > 0).map((reason) => (
              <li key={reason} data-testid="campaign-skipped" data-reason={reason}>
                {t.skippedFor[reason](numberText(preview.skipped[reason] ?? 0))}
              </li>
            ))}
          </ul>
        )}
      </div>
      {props.preview.state === 'failed' && <p role="alert">{props.preview.error.message}</p>}
    </section>
  );
}

const SKIPPED = [
  ...(['opted_out', 'invalid', 'ambiguous', 'duplicate', 'no_number', 'excluded', 'recently_messaged'] as const),
  ...(['window_closed', 'no_template_value', 'text_too_long', 'empty_text'] as const),
];
