import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import type { ApiError } from '../../api/request.ts';
import { errorOf, useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Field } from '../../ui/field.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { numberText } from '../../words/formats.ts';
import { personText } from '../../words/person.ts';
import { type Choices, RuleLines } from './rule-lines.tsx';
import { type DraftRule, FIRST, MAX_RULES, type Match, toDraft, toRules } from './rules.ts';
import { words } from './words.ts';

interface SegmentFormProps {
  readonly segment: Schemas['Segment'] | null;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function SegmentForm({ segment, onClose, onSaved }: SegmentFormProps): JSX.Element {
  const t = words();
  const name = useSignal(segment?.name ?? '');
  const match = useSignal<Match>(segment?.rules.any ? 'any' : 'all');
  const drafts = useSignal<readonly DraftRule[]>((segment?.rules.any ?? segment?.rules.all)?.map(toDraft) ?? [FIRST]);
  const choices = useResource('choices', choicesOf);
  const saving = useAct();
  const rules = toRules(match.value, drafts.value);
  const save = (): Promise<void> =>
    saving.run(async () => {
      if (!rules) return;
      const body = { name: name.value, rules };
      await (segment ? call('changeSegment', { params: { id: segment.id }, body }) : call('createSegment', { body }));
      onClose();
      onSaved();
    });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field
        label={t.name}
        required
        maxLength={100}
        autocomplete="off"
        value={name.value}
        onValue={(value) => (name.value = value)}
        testId="segment-name"
      />
      <label class="field">
        {t.match}
        <select value={match.value} onChange={(event) => (match.value = event.currentTarget.value === 'any' ? 'any' : 'all')}>
          <option value="all">{t.matches.all}</option>
          <option value="any">{t.matches.any}</option>
        </select>
      </label>
      <Loaded of={choices}>
        {(known) => <RuleLines drafts={drafts.value} choices={known} onDrafts={(next) => (drafts.value = next)} />}
      </Loaded>
      <div class="row">
        <button
          type="button"
          class="button slim"
          disabled={drafts.value.length >= MAX_RULES}
          onClick={() => (drafts.value = [...drafts.value, FIRST])}
        >
          {t.addRule}
        </button>
      </div>
      <Count rules={rules} />
      {saving.error.value && <Failure error={saving.error.value} onRetry={save} />}
      <div class="dialog-end">
        <button type="button" class="button" onClick={onClose}>
          {common().cancel}
        </button>
        <button type="submit" class="button first" data-testid="segment-save" disabled={!rules || saving.isBusy.value}>
          {common().save}
        </button>
      </div>
    </form>
  );
}

async function choicesOf(signal: AbortSignal): Promise<Choices> {
  const [{ tags }, { contact_groups: groups }, { attributes }] = await Promise.all([
    call('listTags', {}, { signal }),
    call('listContactGroups', {}, { signal }),
    call('listAttributes', {}, { signal }),
  ]);
  return { tags, groups, attributes };
}

const PAUSE_MS = 300;

type Counted = Schemas['PreviewSegmentResponse'] | ApiError | 'counting' | null;

function Count({ rules }: { readonly rules: Schemas['SegmentRulesInput'] | null }): JSX.Element {
  const t = words();
  const counted = useSignal<Counted>(null);
  const round = useSignal(0);
  const asked = JSON.stringify(rules);
  useEffect(() => {
    counted.value = rules && 'counting';
    if (!rules) return;
    const controller = new AbortController();
    const show = (answer: Counted): void => {
      if (!controller.signal.aborted) counted.value = answer;
    };
    const timer = setTimeout(() => {
      call('previewSegment', { body: { rules } }, { signal: controller.signal }).then(show, (cause: unknown) => show(errorOf(cause)));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [asked, round.value]);
  const now = counted.value;
  if (now instanceof Error) return <Failure error={now} onRetry={() => (round.value += 1)} />;
  return (
    <div role="status" data-testid="segment-count">
      <p>{now === null ? t.unfinished : now === 'counting' ? t.counting : t.count(now.count, numberText(now.count))}</p>
      {now !== null && now !== 'counting' && now.sample.length > 0 && (
        <p class="soft small breaks">{t.sample(now.sample.map((one) => one.name ?? personText(one)).join(', '))}</p>
      )}
    </div>
  );
}
