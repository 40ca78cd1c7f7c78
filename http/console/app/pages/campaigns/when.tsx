import type { JSX } from 'preact';
import { MomentField } from '../../ui/moment-field.tsx';
import { numberText, whenText } from '../../words/formats.ts';
import { previewIn, type StepProps } from './steps.ts';
import { words } from './words.ts';

/** When it begins, and what follows from the pace, the window and the quota. `isFixed`: to be read only. */
export function When({ isFixed, ...props }: StepProps & { readonly isFixed: boolean }): JSX.Element {
  const { draft, onDraft } = props;
  const t = words();
  const preview = previewIn(props);
  const [count, left] = [preview?.recipients ?? null, preview?.quota_left ?? null];
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
          <dd>{preview?.starts_at ? whenText(preview.starts_at) : '…'}</dd>
        </div>
        <div>
          <dt>{t.last}</dt>
          <dd>{preview?.ends_at ? whenText(preview.ends_at) : '…'}</dd>
        </div>
        <div>
          <dt>{t.quota}</dt>
          <dd class="figures">{preview === null ? '…' : left === null ? t.noLimit : t.left(numberText(left))}</dd>
        </div>
      </dl>
      {count !== null && left !== null && count > left && <p class="notice warn small">{t.overQuota(numberText(left))}</p>}
    </>
  );
}
