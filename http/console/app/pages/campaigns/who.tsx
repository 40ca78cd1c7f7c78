import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { numberText } from '../../words/formats.ts';
import { draftFrom } from './content.ts';
import { AUDIENCES, type Audience, type Draft, type StepProps } from './steps.ts';
import { words } from './words.ts';

const ICONS: Readonly<Record<Audience, IconName>> = {
  ...{ all: 'users', tags: 'tag', segment: 'filter', paste: 'list', file: 'upload' },
  kept: 'list',
};

export function Who(props: StepProps): JSX.Element {
  const { draft, choices, onDraft } = props;
  const t = words();
  const id = useId();
  const offered = audiencesFor(choices);
  const counts: Partial<Record<Audience, string>> = {
    tags: t.tagCount(choices.tags.length),
    segment: t.segmentCount(choices.segments.length),
    ...(choices.edited && { kept: t.peopleOf(numberText(choices.edited.total_recipients), choices.edited.total_recipients) }),
  };
  return (
    <>
      <section class="card columns" aria-label={t.details}>
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
      </section>
      <fieldset class="stack-small" data-testid="campaign-audience">
        <legend class="legend-title">{t.whoGetsIt}</legend>
        {offered.map((one) => (
          <label key={one} class="choice">
            <Icon name={ICONS[one]} />
            <span>
              <b>{t.audiences[one]}</b>
              <small>{t.audienceAbout[one]}</small>
            </span>
            {counts[one] && <span class="figures small">{counts[one]}</span>}
            <input
              type="radio"
              name="audience"
              value={one}
              checked={draft.audience === one}
              onChange={() => onDraft({ audience: one, ...(one === 'file' && { lines: '' }) })}
            />
          </label>
        ))}
      </fieldset>
      <section class="card form" aria-label={t.audiences[draft.audience]}>
        <Chosen {...props} />
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
      </section>
    </>
  );
}

/**
 * When a draft is edited, its list of recipients can be kept or replaced by contacts, but not by
 * another list.
 */
function audiencesFor({ edited, segments, tags }: StepProps['choices']): readonly Audience[] {
  const all = AUDIENCES.filter((one) => !(one === 'segment' && segments.length === 0) && !(one === 'tags' && tags.length === 0));
  if (edited === null) return all;
  const isListed = draftFrom(edited).audience === 'kept';
  return [...(isListed ? (['kept'] as const) : []), ...all.filter((one) => one !== 'paste' && one !== 'file')];
}

const QUIET_DAYS = [1, 3, 7, 30];

const isNarrowable = ({ audience }: Draft): boolean => audience === 'all' || audience === 'tags' || audience === 'segment';

function Chosen({ draft, choices, onDraft }: StepProps): JSX.Element | null {
  const t = words();
  const id = useId();
  switch (draft.audience) {
    case 'all':
    case 'kept':
      return null;
    case 'tags':
      return <Tags label={t.tags} tags={choices.tags} chosen={draft.tags} onChosen={(tags) => onDraft({ tags })} />;
    case 'segment':
      return (
        <div class="field">
          <label for={id}>{t.segment}</label>
          <select id={id} required value={draft.segmentId} onChange={(event) => onDraft({ segmentId: event.currentTarget.value })}>
            <option value="" />
            {choices.segments.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </select>
        </div>
      );
    case 'paste':
      return (
        <div class="field">
          <label for={id}>{t.recipients}</label>
          <textarea
            id={id}
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
      );
    case 'file':
      return (
        <div class="field">
          <label for={id}>{t.file}</label>
          <input
            id={id}
            type="file"
            accept=".csv,.txt,text/csv,text/plain"
            required
            data-testid="campaign-file"
            aria-describedby={`${id}-hint`}
            onChange={async (event) => onDraft({ lines: (await event.currentTarget.files?.[0]?.text()) ?? '' })}
          />
          <p id={`${id}-hint`} class="hint">
            {t.recipientsHint}
          </p>
        </div>
      );
  }
}

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
        <label key={id} class="pill">
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
