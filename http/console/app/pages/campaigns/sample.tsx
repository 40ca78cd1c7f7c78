import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { Icon } from '../../ui/icon.tsx';
import { PhoneFrame } from '../../ui/phone-frame.tsx';
import { isEmpty } from './preview.ts';
import { previewIn, type StepProps } from './steps.ts';
import { words } from './words.ts';

export function Sample(props: StepProps): JSX.Element {
  const t = words();
  const nth = useSignal(0);
  const all = isEmpty(props.draft) ? [] : (previewIn(props)?.sample ?? []);
  const at = Math.min(nth.value, Math.max(0, all.length - 1));
  const shown = all[at];
  const who = shown?.person.name ?? shown?.person.phone ?? shown?.person.username ?? shown?.person.lid ?? '';
  return (
    <section class="stack" data-testid="campaign-preview" aria-label={t.preview}>
      <div class="row apart">
        <h2>{t.preview}</h2>
        {all.length > 0 && (
          <span class="sample-steps">
            <button type="button" class="button plain slim icon-only" disabled={at === 0} onClick={() => (nth.value = at - 1)}>
              <Icon name="left" small />
              <span class="only-heard">{t.previous}</span>
            </button>
            <bdi class="one-line small">{who}</bdi>
            <button
              type="button"
              class="button plain slim icon-only"
              data-testid="sample-next"
              disabled={at >= all.length - 1}
              onClick={() => (nth.value = at + 1)}
            >
              <Icon name="right" small />
              <span class="only-heard">{t.following}</span>
            </button>
          </span>
        )}
      </div>
      {shown ? (
        <>
          <PhoneFrame text={shown.text} hasFile={props.draft.media !== null} />
          <p class="small meta">
            {t.sampleOf(at + 1, all.length)}
            {shown.missing.length > 0 && `. ${t.missing(shown.missing.map((one) => `{${one}}`).join(', '))}`}
          </p>
        </>
      ) : (
        <p class="soft small">{t.noPreview}</p>
      )}
    </section>
  );
}
