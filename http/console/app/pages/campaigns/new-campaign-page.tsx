import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { BASE } from '../../../pages.ts';
import { call, newKey } from '../../api/client.ts';
import { errorOf, useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { Steps } from '../../ui/steps.tsx';
import { numberText } from '../../words/formats.ts';
import { contentOf, draftFrom, isEditable } from './content.ts';
import { createLaunch } from './launch.ts';
import { type Recipient, recipientsIn } from './plan.ts';
import { audienceOf, isListed, usePreview } from './preview.ts';
import { Reach, skippedOf } from './reach.tsx';
import { Review } from './review.tsx';
import { Sample } from './sample.tsx';
import { type Choices, countOf, type Draft, previewIn, STEPS, type StepName, type StepProps } from './steps.ts';
import { What } from './what.tsx';
import { When } from './when.tsx';
import { Who } from './who.tsx';
import { words } from './words.ts';

const EMPTY: Draft = {
  name: '',
  sessionId: '',
  audience: 'paste',
  lines: '',
  segmentId: '',
  tags: [],
  without: [],
  quietHours: null,
  body: '',
  media: null,
  template: null,
  at: null,
};

export function NewCampaignPage(): JSX.Element {
  const t = words();
  const id = useLocation().query['draft'] ?? null;
  const choices = useResource(`campaign ${id}`, (signal) => loadChoices(id, signal));
  return (
    <Page
      title={id === null ? t.add : t.editDraft}
      within={[t.title, `${BASE}/campaigns`]}
      actions={
        <a class="button plain" href={id === null ? `${BASE}/campaigns` : `${BASE}/campaigns/${id}`}>
          <Icon name="close" />
          {t.closeWizard}
        </a>
      }
    >
      <Loaded of={choices}>{(all) => <Wizard choices={all} />}</Loaded>
    </Page>
  );
}

async function loadChoices(id: string | null, signal: AbortSignal): Promise<Choices> {
  const options = { signal };
  const [{ sessions }, { segments }, { tags }, { templates }, { attributes }, edited] = await Promise.all([
    call('listSessions', {}, options),
    call('listSegments', {}, options),
    call('listTags', {}, options),
    call('listTemplates', {}, options),
    call('listAttributes', {}, options),
    id === null ? null : call('getBlast', { params: { id } }, options),
  ]);
  return {
    devices: sessions.filter(({ status }) => status === 'connected'),
    segments,
    tags,
    templates: templates.filter(({ official }) => !official),
    official: templates.filter(({ official }) => official?.status === 'approved'),
    attributes: attributes.map(({ key }) => key),
    edited: edited !== null && isEditable(edited) ? edited : null,
  };
}

function Wizard({ choices }: { readonly choices: Choices }): JSX.Element {
  const t = words();
  const { route } = useLocation();
  const { edited } = choices;
  const draft = useSignal<Draft>(edited ? draftFrom(edited) : { ...EMPTY, sessionId: onlyOf(choices) });
  const nth = useSignal(0);
  const isAttested = useSignal(false);
  const acting = useAct();
  const form = useRef<HTMLFormElement>(null);
  const launch = useMemo(() => launchHere(edited?.id ?? null), []);
  const step = STEPS[nth.value] ?? 'who';
  useEffect(() => {
    if (nth.value > 0) form.current?.querySelector<HTMLElement>('h2')?.focus();
  }, [nth.value]);
  const change = (patch: Partial<Draft>): void => {
    // A template belongs to one device's account, so changing the device removes it.
    draft.value = { ...draft.value, ...(patch.sessionId !== undefined && { template: null }), ...patch };
  };
  const end = (how: 'start' | 'keep'): Promise<void> =>
    acting.run(async () => {
      const id = await launch(draft.value, recipientsOf(draft.value), how);
      route(`${BASE}/campaigns/${id}`);
    });
  const preview = usePreview(draft.value);
  const props: StepProps = { draft: draft.value, choices, preview, onDraft: change };
  const count = countOf(props);
  const hasUnknown = (previewIn(props)?.unknown_tokens.length ?? 0) > 0;
  const toStep = (name: StepName): void => {
    nth.value = STEPS.indexOf(name);
  };
  return (
    <form
      ref={form}
      class="wizard"
      onSubmit={(event) => {
        event.preventDefault();
        if (step !== 'attest') nth.value += step === 'what' && hasUnknown ? 0 : 1;
        else if (isAttested.value) void end('start');
      }}
    >
      <Steps names={STEPS.map((one) => t.steps[one])} nth={nth.value} />
      <div class="wizard-body with-aside">
        <div class="stack">
          <h2 class="only-heard" tabIndex={-1}>
            {t.steps[step]}
          </h2>
          {step === 'who' && <Who {...props} />}
          {step === 'what' && <What {...props} />}
          {step === 'when' && <When {...props} />}
          {step === 'attest' && (
            <Review {...props} isAttested={isAttested.value} onAttest={(isOn) => (isAttested.value = isOn)} onStep={toStep} />
          )}
          {acting.error.value && <Failure error={acting.error.value} />}
        </div>
        {step === 'who' || step === 'when' ? <Reach {...props} /> : <Sample {...props} />}
      </div>
      <div class="foot-bar">
        {nth.value > 0 && (
          <button type="button" class="button" onClick={() => (nth.value -= 1)}>
            {t.back}
          </button>
        )}
        <span class="small meta">{footText(props, step, hasUnknown)}</span>
        {(step === 'when' || step === 'attest') && (
          <button type="button" class="button" data-testid="campaign-keep" disabled={acting.isBusy.value} onClick={() => end('keep')}>
            {t.keepDraft}
          </button>
        )}
        {step === 'attest' ? (
          <button type="submit" class="button first" data-testid="campaign-start" disabled={!isAttested.value || acting.isBusy.value}>
            {count === null ? t.start : draft.value.at === null ? t.startTo(numberText(count)) : t.planFor(numberText(count))}
          </button>
        ) : (
          <button type="submit" class="button first" data-testid="campaign-next">
            {t.goOn[step]}
          </button>
        )}
      </div>
    </form>
  );
}

function footText(props: StepProps, step: StepName, hasUnknown: boolean): string {
  const t = words();
  if (step === 'attest') return t.stopAnyTime;
  if (step === 'what' && hasUnknown) return t.fixFirst;
  const count = countOf(props);
  if (count === null) return '';
  const skipped = skippedOf(props);
  return [t.peopleOf(numberText(count), count), skipped > 0 && t.skippedIn(numberText(skipped))].filter(Boolean).join(', ');
}
const recipientsOf = (draft: Draft): readonly Recipient[] => (isListed(draft) ? recipientsIn(draft.lines) : []);

const onlyOf = ({ devices }: Choices): string => (devices.length === 1 ? (devices[0]?.id ?? '') : '');

const launchHere = (edited: string | null) =>
  createLaunch<Draft, Recipient>({
    async create(draft, first, key) {
      const what = { name: draft.name, session_id: draft.sessionId, ...contentOf(draft) };
      if (edited !== null) {
        const narrowing = { exclude_tags: [...draft.without], skip_if_messaged_within_hours: draft.quietHours };
        const time = draft.at === null ? { scheduled_at: null } : {};
        const body = { ...what, ...audienceOf(draft), ...narrowing, ...time };
        return (await call('changeBlast', { params: { id: edited }, body })).id;
      }
      const whom = { ...audienceOf(draft), ...(isListed(draft) && { recipients: [...first] }) };
      return (await call('createBlast', { body: { ...what, ...whom } }, { key })).id;
    },
    add: (id, part) => call('addBlastRecipients', { params: { id }, body: { recipients: [...part] } }),
    // Sets the time last, because a draft with a time starts by itself with the recipients added so far.
    start: (id, { at }, key) =>
      at === null
        ? call('startBlast', { params: { id }, body: { consent_attested: true } }, { key })
        : call('changeBlast', { params: { id }, body: { scheduled_at: at, consent_attested: true } }),
    async stateOf(id) {
      try {
        return (await call('getBlast', { params: { id } })).status === 'draft' ? 'draft' : 'started';
      } catch (cause) {
        if (errorOf(cause).code === 'NOT_FOUND') return 'gone';
        throw cause;
      }
    },
    remove: async (id) => edited ?? call('deleteBlast', { params: { id } }),
    newKey,
  });
