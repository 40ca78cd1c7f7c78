import type { JSX } from 'preact';
import { nameOfDevice } from '../../ui/device-choice.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { CostLine } from '../official/campaign-template.tsx';
import { Attest } from './attest.tsx';
import { leftOutText } from './facts.ts';
import { skippedOf } from './reach.tsx';
import { countOf, type Draft, previewIn, type StepName, type StepProps } from './steps.ts';
import { OverQuota } from './when.tsx';
import { words } from './words.ts';

interface ReviewProps extends StepProps {
  readonly isAttested: boolean;
  readonly onAttest: (isOn: boolean) => void;
  readonly onStep: (step: StepName) => void;
}

export function Review({ isAttested, onAttest, onStep, ...props }: ReviewProps): JSX.Element {
  const t = words();
  const { draft, choices } = props;
  const preview = previewIn(props);
  const device = choices.devices.find(({ id }) => id === draft.sessionId);
  const skipped = skippedOf(props);
  const count = countOf(props) ?? 0;
  const lines: readonly (readonly [keyof typeof t.reviewOf, StepName, string])[] = [
    [
      'audience',
      'who',
      [
        t.peopleOf(numberText(count), count),
        [chosenText(props), ...leftOutText(draft.without, draft.quietHours)].join(' '),
        skipped > 0 && t.skippedIn(numberText(skipped)),
      ]
        .filter(Boolean)
        .join(' · '),
    ],
    [
      'message',
      'what',
      [draft.media && (draft.media.name ?? t.mediaKinds[draft.media.type]), draft.template?.name ?? draft.body].filter(Boolean).join(' · '),
    ],
    ['schedule', 'when', scheduleText(draft, preview)],
    ['from', 'who', device ? nameOfDevice(device) : ''],
  ];
  const left = preview?.quota_left ?? null;
  return (
    <>
      <dl class="card review">
        {lines.map(([name, step, text]) => (
          <div key={name}>
            <dt>{t.reviewOf[name]}</dt>
            <dd class={name === 'message' ? 'clamped' : undefined}>
              <bdi>{text}</bdi>
            </dd>
            <dd>
              <button type="button" class="button plain slim" aria-label={t.editOf(t.reviewOf[name])} onClick={() => onStep(step)}>
                {t.edit}
              </button>
            </dd>
          </div>
        ))}
        <div>
          <dt>{t.reviewOf.quota}</dt>
          <dd>{preview === null ? '…' : left === null ? t.noLimit : t.left(numberText(left))}</dd>
        </div>
        <CostLine estimate={preview?.cost_estimate ?? null} />
      </dl>
      <OverQuota {...props} />
      <Attest isOn={isAttested} onOn={onAttest} />
    </>
  );
}

function chosenText({ draft, choices }: StepProps): string {
  const t = words();
  if (draft.audience === 'tags') return t.toTags(draft.tags);
  if (draft.audience === 'segment') return t.toSegment(choices.segments.find(({ id }) => id === draft.segmentId)?.name ?? '');
  return t.audiences[draft.audience];
}

function scheduleText({ at }: Draft, preview: ReturnType<typeof previewIn>): string {
  const t = words();
  const from = preview?.starts_at ?? at;
  const to = preview?.ends_at ?? null;
  if (from === null) return at === null ? t.now : t.later;
  return [t.starts(whenText(from)), to !== null && t.ends(whenText(to))].filter(Boolean).join(' ');
}
