import type { JSX } from 'preact';
import { Bar } from '../../ui/bar.tsx';
import { numberText } from '../../words/formats.ts';
import { reasonText } from './reasons.ts';
import { countOf, previewIn, type StepProps } from './steps.ts';
import { words } from './words.ts';

export function Reach(props: StepProps): JSX.Element {
  const t = words();
  const preview = previewIn(props);
  const count = countOf(props);
  const { state } = props.preview;
  return (
    <section class="card stack" aria-label={t.people}>
      <h2>{t.steps.who}</h2>
      <p data-testid="campaign-count" aria-live="polite">
        {count !== null ? (
          <>
            <span class="figure-huge">{numberText(count)}</span> <span class="small soft">{t.getThis(count)}</span>
          </>
        ) : (
          <span class="soft">{state === 'loading' ? t.counting : t.nobodyYet}</span>
        )}
      </p>
      {preview && <Left preview={preview} />}
      {props.preview.state === 'failed' && (
        <p class="fault" role="alert">
          {props.preview.error.message}
        </p>
      )}
    </section>
  );
}

function Left({ preview }: { readonly preview: NonNullable<ReturnType<typeof previewIn>> }): JSX.Element {
  const { recipients } = preview;
  const skipped = Object.entries(preview.skipped).filter(([, count]) => count > 0);
  const without = skipped.reduce((sum, [, count]) => sum + count, 0);
  return (
    <>
      <Bar size="large" value={recipients} max={recipients + without} then={[[without, 'warn']]} />
      <ul class="legend">
        <li>
          <span class="dot accent" aria-hidden="true" />
          {words().willGet}
          <b class="figures">{numberText(recipients)}</b>
        </li>
        {skipped.map(([reason, count]) => (
          <li key={reason} data-testid="campaign-skipped" data-reason={reason}>
            <span class="dot warn" aria-hidden="true" />
            {reasonText(reason)} <b class="figures">{numberText(count)}</b>
          </li>
        ))}
      </ul>
    </>
  );
}

export const skippedOf = (props: StepProps): number =>
  Object.values(previewIn(props)?.skipped ?? {}).reduce((sum, count) => sum + count, 0);
