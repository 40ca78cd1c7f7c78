import type { JSX } from 'preact';
import { Icon } from '../../ui/icon.tsx';
import { MomentField } from '../../ui/moment-field.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { previewIn, type StepProps } from './steps.ts';
import { WindowStrip } from './window-strip.tsx';
import { words } from './words.ts';

export function When(props: StepProps): JSX.Element {
  const { draft, onDraft } = props;
  const t = words();
  const preview = previewIn(props);
  const left = preview?.quota_left ?? null;
  const { starts_at: from, ends_at: to } = preview ?? { starts_at: null, ends_at: null };
  return (
    <>
      <fieldset class="two-choices">
        <legend class="only-heard">{t.steps.when}</legend>
        <label class="choice">
          <Icon name="zap" />
          <b>{t.now}</b>
          <input type="radio" name="when" checked={draft.at === null} onChange={() => onDraft({ at: null })} />
        </label>
        <label class="choice">
          <Icon name="clock" />
          <b>{t.later}</b>
          <input type="radio" name="when" checked={draft.at !== null} onChange={() => onDraft({ at: Date.now() + 3_600_000 })} />
        </label>
      </fieldset>
      {draft.at !== null && <MomentField label={t.at} at={draft.at} onAt={(at) => onDraft({ at })} />}
      <section class="card stack" aria-label={t.summary}>
        <h2>{t.summary}</h2>
        <dl class="facts">
          <div>
            <dt>{t.first}</dt>
            <dd>{from ? whenText(from) : '…'}</dd>
          </div>
          <div>
            <dt>{t.last}</dt>
            <dd>{to ? whenText(to) : '…'}</dd>
          </div>
          <div>
            <dt>{t.quota}</dt>
            <dd class="figures">{preview === null ? '…' : left === null ? t.noLimit : t.left(numberText(left))}</dd>
          </div>
        </dl>
        <WindowStrip planned={from && to ? [from, to] : null} />
      </section>
      <OverQuota {...props} />
    </>
  );
}

export function OverQuota(props: StepProps): JSX.Element | null {
  const preview = previewIn(props);
  const left = preview?.quota_left ?? null;
  if (preview === null || left === null || preview.recipients <= left) return null;
  return <p class="notice warn small">{words().overQuota(numberText(left))}</p>;
}
