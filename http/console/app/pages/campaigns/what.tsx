import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { previewIn, type StepProps } from './steps.ts';
import { words } from './words.ts';

const SHOWN = 3;

export function What(props: StepProps): JSX.Element {
  const { draft, onDraft } = props;
  const t = words();
  const id = useId();
  const preview = previewIn(props);
  const unknown = draft.body === '' ? [] : (preview?.unknown_tokens ?? []);
  return (
    <>
      <div class="field">
        <label for={id}>{t.body}</label>
        <textarea
          id={id}
          rows={6}
          required
          maxLength={65_536}
          data-testid="campaign-body"
          aria-describedby={`${id}-hint ${id}-fault`}
          aria-invalid={unknown.length > 0}
          value={draft.body}
          onInput={(event) => onDraft({ body: event.currentTarget.value })}
        />
        <p id={`${id}-hint`} class="hint">
          {t.bodyHint}
        </p>
        {unknown.length > 0 && (
          <p id={`${id}-fault`} class="fault" role="alert" data-testid="campaign-token-error">
            {t.unknown(unknown.map((one) => `{${one}}`).join(', '))}
          </p>
        )}
      </div>
      <section class="stack" data-testid="campaign-preview" aria-label={t.preview}>
        <h3>{t.preview}</h3>
        {draft.body === '' || preview === null || preview.sample.length === 0 ? (
          <p class="soft small">{t.noPreview}</p>
        ) : (
          preview.sample.slice(0, SHOWN).map((one, nth) => <Sample key={nth} sample={one} />)
        )}
      </section>
    </>
  );
}

/** What one of them would read. */
function Sample({ sample: { person, text, missing } }: { readonly sample: Schemas['BlastPreview']['sample'][number] }): JSX.Element {
  const t = words();
  const who = person.name ?? person.phone ?? person.username ?? person.lid ?? '';
  return (
    <div class="stack">
      <p class="small soft">
        <bdi>{t.previewOf(who)}</bdi>
      </p>
      {text !== null && <p class="bubble own">{text}</p>}
      {missing.length > 0 && <p class="small soft">{t.missing(missing.map((one) => `{${one}}`).join(', '))}</p>}
    </div>
  );
}
