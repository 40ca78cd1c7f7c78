import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { Field } from '../../ui/field.tsx';
import { type DraftRule, FIELDS, isKnown, isTime, type Op, opsOf, withField, withOp } from './rules.ts';
import { words } from './words.ts';

export interface Choices {
  readonly tags: readonly Schemas['Tag'][];
  readonly groups: readonly Schemas['ContactGroup'][];
  readonly attributes: readonly Schemas['Attribute'][];
}

interface RuleLinesProps {
  readonly drafts: readonly DraftRule[];
  readonly choices: Choices;
  readonly onDrafts: (drafts: readonly DraftRule[]) => void;
}

export function RuleLines({ drafts, choices, onDrafts }: RuleLinesProps): JSX.Element {
  const t = words();
  return (
    <>
      {drafts.map((draft, nth) => (
        <fieldset key={nth} class="field" data-testid="segment-rule">
          <legend>{t.rule(nth + 1)}</legend>
          <Line draft={draft} choices={choices} onDraft={(next) => onDrafts(drafts.map((one, at) => (at === nth ? next : one)))} />
          {drafts.length > 1 && (
            <div class="row">
              <button
                type="button"
                class="button slim"
                aria-label={t.removeRule(nth + 1)}
                onClick={() => onDrafts(drafts.filter((_one, at) => at !== nth))}
              >
                ×
              </button>
            </div>
          )}
        </fieldset>
      ))}
    </>
  );
}

interface LineProps {
  readonly draft: DraftRule;
  readonly choices: Choices;
  readonly onDraft: (draft: DraftRule) => void;
}

function Line({ draft, choices, onDraft }: LineProps): JSX.Element {
  const t = words();
  const { field, op } = draft;
  const ownFields = choices.attributes.map(({ key }) => `attr.${key}`);
  // Lists the rule's own field even if it has been deleted.
  const others = isKnown(field) || ownFields.includes(field) ? ownFields : [...ownFields, field];
  const labelOf = (one: string): string => choices.attributes.find(({ key }) => one === `attr.${key}`)?.label ?? one;
  const opName = (one: Op): string => (isTime(field) && (one === 'gt' || one === 'lt') ? t.timeOps[one] : t.ops[one]);
  return (
    <div class="choices">
      <label class="field">
        {t.field}
        <select value={field} onChange={(event) => onDraft(withField(draft, event.currentTarget.value))}>
          {FIELDS.map((one) => (
            <option key={one} value={one}>
              {t.fields[one]}
            </option>
          ))}
          {others.map((one) => (
            <option key={one} value={one}>
              {labelOf(one)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        {t.op}
        <select
          value={op}
          onChange={(event) => onDraft(withOp(draft, opsOf(field).find((one) => one === event.currentTarget.value) ?? op))}
        >
          {opsOf(field).map((one) => (
            <option key={one} value={one}>
              {opName(one)}
            </option>
          ))}
        </select>
      </label>
      <Value draft={draft} options={optionsOf(draft, choices, t)} onTexts={(texts) => onDraft({ ...draft, texts })} />
    </div>
  );
}

type Option = readonly [value: string, name: string];

function optionsOf({ field, op, texts }: DraftRule, { tags, groups }: Choices, t: ReturnType<typeof words>): readonly Option[] | null {
  if (op === 'exists')
    return [
      ['true', t.yes],
      ['false', t.no],
    ];
  const known: readonly Option[] | null =
    field === 'tag'
      ? tags.map(({ name }) => [name, name])
      : field === 'group_id'
        ? groups.map(({ id, name }) => [id, name])
        : field === 'consent'
          ? [
              ['opted_in', t.consents.opted_in],
              ['opted_out', t.consents.opted_out],
            ]
          : null;
  const gone = texts.filter((text) => text !== '' && !known?.some(([value]) => value.toLowerCase() === text.toLowerCase()));
  return known && [...known, ...gone.map((text): Option => [text, text])];
}

interface ValueProps {
  readonly draft: DraftRule;
  readonly options: readonly Option[] | null;
  readonly onTexts: (texts: readonly string[]) => void;
}

function Value({ draft: { field, op, texts }, options, onTexts }: ValueProps): JSX.Element {
  const t = words();
  const [text = ''] = texts;
  const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
  if (options && op === 'in')
    return (
      <fieldset class="field">
        <legend>{t.value}</legend>
        {options.map(([value, name]) => (
          <label key={value} class="check breaks">
            <input
              type="checkbox"
              checked={texts.some((one) => isSame(one, value))}
              onChange={(event) => {
                const others = texts.filter((one) => !isSame(one, value));
                onTexts(event.currentTarget.checked ? [...others, value] : others);
              }}
            />
            {name}
          </label>
        ))}
      </fieldset>
    );
  if (options)
    return (
      <label class="field">
        {t.value}
        <select
          data-testid="segment-value"
          value={options.find(([value]) => isSame(value, text))?.[0] ?? (op === 'exists' ? 'true' : '')}
          onChange={(event) => onTexts([event.currentTarget.value])}
        >
          {op !== 'exists' && <option value="">{t.choose}</option>}
          {options.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
    );
  const isDay = isTime(field) && op !== 'within_days' && (text === '' || /^\d{4}-\d\d-\d\d$/.test(text));
  return (
    <Field
      label={op === 'in' ? t.values : op === 'within_days' ? t.days : isDay ? t.date : t.value}
      type={op === 'within_days' ? 'number' : isDay ? 'date' : 'text'}
      lines={op === 'in' ? 3 : 1}
      autocomplete="off"
      value={op === 'in' ? texts.join('\n') : text}
      onValue={(value) => onTexts(op === 'in' ? value.split('\n') : [value])}
      testId="segment-value"
    />
  );
}
